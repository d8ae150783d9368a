"""Cases: reading, creating, pricing and importing them."""
