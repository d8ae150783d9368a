"""The operator's audits, rebuilding of totals, key rotation, backup and checks."""
