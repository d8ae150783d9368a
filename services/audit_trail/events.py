"""The names of what the audit trail records."""

from enum import StrEnum


class What(StrEnum):
    """What happened. A name that was once recorded keeps its meaning."""

    ACCOUNT_CREATED = "account.created"
    LOGGED_IN = "account.logged-in"
