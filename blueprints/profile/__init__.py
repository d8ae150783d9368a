"""A player's public profile and own settings."""
