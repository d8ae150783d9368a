"""Promo codes and their statistics."""
