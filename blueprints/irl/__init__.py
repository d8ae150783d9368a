"""Cases of real-life things."""
