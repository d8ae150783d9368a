"""Measurements: each script answers one question. They use the servers and clients of ``tests/harness``."""
