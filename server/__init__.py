"""Serves requests and sockets. Knows no area of the contract."""
