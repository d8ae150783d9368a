"""Statistics of a player's own games and payments."""
