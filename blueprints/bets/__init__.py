"""What anybody may look up to verify a bet."""
