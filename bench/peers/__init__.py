"""What the platform is measured against: the least programs that do the same work."""
