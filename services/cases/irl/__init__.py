"""Cases with real-life items: reading and importing them."""
