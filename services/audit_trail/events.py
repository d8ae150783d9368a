"""The names of what the audit trail records. docs/audit-trail.md explains them to the operator."""

from enum import StrEnum


class What(StrEnum):
    """What happened. A name that was once recorded keeps its meaning."""

    ACCOUNT_CREATED = "account.created"
    LOGGED_IN = "account.logged-in"
    LOGGED_OUT = "account.logged-out"
    """All sessions were ended; ``session`` is the number of the next ones."""
    SUSPENDED = "account.suspended"
    RESUMED = "account.resumed"
    TOKEN_ISSUED = "account.token-issued"  # noqa: S105  # the name of an event
    USERNAME_CHANGED = "account.username-changed"
    DETAILS_CHANGED = "account.details-changed"
    TRADE_URL_CHANGED = "account.trade-url-changed"
    CLIENT_SEED_CHANGED = "account.client-seed-changed"
    NOTIFICATION_SENT = "notification.sent"

    TWO_FACTOR_ENABLED = "two-factor.enabled"
    TWO_FACTOR_DISABLED = "two-factor.disabled"
    TWO_FACTOR_RESET = "two-factor.reset"
    TWO_FACTOR_LOCKED = "two-factor.locked"
    """The fifth wrong code."""
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

    COINS_GRANTED = "coins.granted"
    BALANCE_ADJUSTED = "balance.adjusted"
    PAYMENT_RECORDED = "payment.recorded"
    VAULT_LOCKED = "vault.locked"
    VAULT_UNLOCKED = "vault.unlocked"
    PRIZE_SOLD = "prize.sold"
    SHIPPING_REQUESTED = "prize.shipping-requested"
    PRIZE_SHIPPED = "prize.shipped"
    PROMO_CODE_SET = "affiliate.code-set"
    PROMO_CODE_USED = "affiliate.code-used"
    EARNINGS_CLAIMED = "affiliate.earnings-claimed"

    CASE_CREATED = "case.created"
    CASES_IMPORTED = "cases.imported"
    IRL_CASES_IMPORTED = "irl-cases.imported"
    ITEMS_IMPORTED = "items.imported"
    PRICE_JUMPS_ACCEPTED = "prices.jumps-accepted"
    TOTALS_REBUILT = "totals.rebuilt"
    SEEDS_REDRAWN = "seeds.redrawn"
    SECRETS_RESEALED = "secrets.resealed"
    SETTINGS_CHANGED = "settings.changed"
