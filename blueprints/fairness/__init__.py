"""Settled bets as proofs, and the fairness commands."""
