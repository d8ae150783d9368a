"""Statistics of a player, and the live bets."""
