"""Openings of cases, for items that are credited at once and for real-life items."""
