"""A bet as its player shares it."""
