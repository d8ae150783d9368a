"""A fake BTCPay Server, which fails in every way that a real one can."""
