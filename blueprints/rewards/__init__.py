"""What the house gives the caller beside what bets pay."""
