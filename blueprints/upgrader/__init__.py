"""The upgrader: its catalogue, its rules, and its spins."""
