"""The roll, and the server seeds."""
