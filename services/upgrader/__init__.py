"""The upgrader: wager an amount on a more expensive item."""
