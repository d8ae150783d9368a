"""Players as the operator sees them."""
