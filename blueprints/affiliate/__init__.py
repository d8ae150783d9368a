"""Promo codes, and what they bring their owners."""
