"""Statistics that players see: their own bets and payments, and the leaderboard."""
