"""Public data for verifying bets."""
