"""Shared by all services: the clock, money, errors, text, encryption, background work."""
