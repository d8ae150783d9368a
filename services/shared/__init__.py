"""What all services share: the clock, money, errors, text, encryption, background work."""
