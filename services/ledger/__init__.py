"""The double-entry ledger, and the totals that change with it."""
