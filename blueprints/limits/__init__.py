"""The limits that players set for themselves, and their breaks."""
