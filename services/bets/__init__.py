"""Bets of all games: from the request to the proof."""
