"""What benchmarks and tests share: servers, databases, clients, and players whose server is disturbed.

Imports nothing from ``tests``.
"""
