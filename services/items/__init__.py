"""Importing items, and reading their names."""
