"""Logging in through the two identity providers."""
