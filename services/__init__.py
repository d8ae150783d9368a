"""What the platform does: its rules and transactions. Knows neither HTTP nor sockets."""
