"""The audit trail: who changed what, in a chain that shows later changes."""
