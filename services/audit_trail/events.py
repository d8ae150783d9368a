"""The names of what the audit trail records."""

from enum import StrEnum


class What(StrEnum):
    """What happened. A name that was once recorded keeps its meaning."""

    ACCOUNT_CREATED = "account.created"
    COINS_GRANTED = "coins.granted"
    LOGGED_IN = "account.logged-in"
    LOGGED_OUT = "account.logged-out"
    """All sessions were ended; ``session`` is the number of the next ones."""
    SUSPENDED = "account.suspended"
    RESUMED = "account.resumed"

    LOGIN_CHALLENGE_PASSED = "two-factor.challenge-passed"
    RECOVERY_CODES_DRAWN = "two-factor.recovery-codes-drawn"
    RECOVERY_CODE_USED = "two-factor.recovery-code-used"

    LIMIT_SET = "limit.set"
    LIMIT_LOWERED = "limit.lowered"
    LIMIT_RAISE_REQUESTED = "limit.raise-requested"
    LIMIT_RAISE_REPLACED = "limit.raise-replaced"
    LIMIT_RAISE_CANCELLED = "limit.raise-cancelled"
    LIMIT_RAISE_CONFIRMED = "limit.raise-confirmed"
    EXCLUSION_BEGUN = "exclusion.begun"
    EXCLUSION_EXTENDED = "exclusion.extended"

    SETTINGS_CHANGED = "settings.changed"
