"""The connection to the database, and how statements and transactions run."""
