"""Prizes: the real-life items that players have won. They are kept, sold or shipped."""
