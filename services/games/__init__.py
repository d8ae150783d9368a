"""Shared by all games: settlement, the player's lock, bets, proofs, live bets."""
