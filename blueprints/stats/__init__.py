"""Statistics: a player's totals and lists, and everybody's bets."""
