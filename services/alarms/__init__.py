"""Alarms: what staff must look at, found by rules, and sent to a webhook of the operator's."""
