"""The operator's commands for players."""
