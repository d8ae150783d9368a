"""Logging in and out, and the current player."""
