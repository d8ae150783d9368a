"""Cases with real-life items."""
