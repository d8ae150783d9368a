"""What the platform remembers: tables, constraints, indexes and migrations. No rules."""
