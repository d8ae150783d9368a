"""Figures about all players: what was wagered, paid and owed, by day, game and case."""
