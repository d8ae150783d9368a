"""The vault, adjustments by hand, and the sweepstake conversion."""
