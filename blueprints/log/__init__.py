"""The public log of bets."""
