"""What all games share: settlement, the player's lock, bets, proofs, live bets."""
