"""The ledger as the operator sees it."""
