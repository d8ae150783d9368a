"""Players who deposit and withdraw while BTCPay, the platform's processes and its database fail."""
