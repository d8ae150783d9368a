"""What benchmarks and tests share: servers, databases, clients, and players during faults.

Imports nothing from ``tests``.
"""
