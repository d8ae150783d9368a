"""The platform's rules and transactions. Knows neither HTTP nor sockets."""
