"""Battles: lists, single battles, and taking and giving back seats."""
