"""Living prices: a feed of all items, a market for the others, and what of it is believed."""
