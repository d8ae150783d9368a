"""Measurements: each script answers one question. ``harness`` holds what they share with the tests."""
