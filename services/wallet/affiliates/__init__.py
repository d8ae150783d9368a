"""Affiliates: promo codes, the players who used them, and the commission of their owners."""
