"""Real-life items that players have won."""
