"""Cases: reading, making, pricing and importing them."""
