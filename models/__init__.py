"""Tables, constraints, indexes and migrations, and access to the database. No business rules."""
