"""Health, metrics, API documents, and pictures."""
