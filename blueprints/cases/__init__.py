"""Cases: lists, the free one, one of them, and making one's own."""
