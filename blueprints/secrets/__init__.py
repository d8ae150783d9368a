"""Secrets in the database as the operator sees them."""
