"""The page of one bet that a player shares, and its picture."""
