"""Exports: everything that is known of a player, as one JSON file that the player downloads."""
