"""The vault, deposits and withdrawals, and the sweepstake conversion."""
