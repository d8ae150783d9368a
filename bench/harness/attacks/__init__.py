"""Attackers, connections that stall, and players who must not notice them."""
