"""Battles: several seats open the same cases, and the mode says who gets what was drawn."""
