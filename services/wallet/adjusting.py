"""Adjusting a player's balance by hand, such as to correct a mistake."""

from models.db.connection import writing
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.text import checked_reason


def adjust(*, user_id: int, amount: int, reason: str, now: Millis) -> Cents:
    """Add these cents to the player's balance, or take them from it if negative; returns the new balance.

    Counts neither as a payment nor as a bet. Two calls at once take turns. Raises InsufficientBalance,
    UserNotFound, and Refusal for an amount of 0 or a bad reason.
    """
    reason = checked_reason(reason)
    if amount == 0:
        raise Refusal("the amount must not be 0")
    source, target = Account.HOUSE_ADJUSTMENTS, Account.BALANCE
    if amount < 0:
        source, target = target, source
    with writing():
        before: int = users.lock(user_id).balance_cents
        move = Move(Cents(abs(amount)), source, target)
        posting.post(kind=LedgerKind.ADJUSTMENT, user_id=user_id, moves=[move], now=now)
        after = Cents(before + amount)
        record(
            AuditEventType.BALANCE_ADJUSTED,
            now=now,
            user_id=user_id,
            before={"balanceCents": before},
            after={"balanceCents": after, "amountCents": amount, "reason": reason},
        )
        return after
