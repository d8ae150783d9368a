"""Attackers, and players who must not be affected by them."""
