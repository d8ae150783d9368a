"""Money in and out: recorded payments, deposits and withdrawals that players make, and their providers."""
