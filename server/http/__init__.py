"""Flask hooks around every request."""
