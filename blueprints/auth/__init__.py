"""Logging in and out, and who one is."""
