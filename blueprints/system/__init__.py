"""Health, metrics, API documents, pictures, and commands for the database."""
