"""Measurements: each script answers one question. ``harness`` has what scripts and tests share."""
