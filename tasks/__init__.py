"""The background task that refreshes prices."""
