"""What the outside sees: one package for each area, and what they share in ``common``."""
