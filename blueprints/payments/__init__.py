"""Deposits and withdrawals that players make, and the webhooks of payment providers."""
