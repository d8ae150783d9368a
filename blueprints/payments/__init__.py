"""Deposits and withdrawals, as the payment processor reports them."""
