"""The vault: coins that a player locks until a time of their choice."""

from decimal import Decimal

from models.db.connection import writing
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import InsufficientBalance, Refusal
from services.shared.money import Cents, InvalidAmount, cents_from_number

# Ten years with three leap days.
LONGEST_LOCK_MS = Millis(3_653 * DAY_MS)


class InvalidDeadline(Refusal):
    """Not a whole number of ms in the next ten years, or earlier than the current deadline."""

    text = "Invalid deadline"


def lock(*, user_id: int, amount: object, deadline: object, now: Millis) -> User:
    """Move coins from the balance into the vault until a time in ms; returns the player after that.

    ``amount`` and ``deadline`` are the unchecked values of the body. Adds to the coins in the vault; the
    deadline can only move later. When two locks run concurrently, the one with the earlier deadline comes
    first or is refused. Raises Refusal for a missing value, InvalidAmount (also for more than the balance) or
    InvalidDeadline, checked in this order.
    """
    if amount is None or deadline is None:
        raise Refusal("Amount and deadline are required")
    cents = cents_from_number(amount, least=Cents(1))
    until = _future(deadline, now)
    with writing():
        before = users.lock(user_id).vault_deadline_ms
        try:
            move = Move(cents, Account.BALANCE, Account.VAULT)
            posting.post(kind=LedgerKind.VAULT_LOCK, user_id=user_id, moves=[move], now=now)
        except InsufficientBalance:
            raise InvalidAmount from None
        if before is not None and until < before:
            raise InvalidDeadline
        User.update(vault_deadline_ms=until).where(User.id == user_id).execute()
        locked = {"amountCents": cents, "deadline": until}
        record(AuditEventType.VAULT_LOCKED, now=now, user_id=user_id, after=locked)
        return users.get_by_id(user_id)


def unlock(*, user_id: int, now: Millis) -> User:
    """Move all coins of the vault back to the balance and remove the deadline; returns the player after that.

    When two unlocks run concurrently, one moves the coins and the other is refused. When a concurrent
    lock commits first, its coins are moved too, or its later deadline keeps all coins locked. No deadline
    holds for a player who is excluded permanently.
    Raises Refusal for an empty vault, and before the deadline.
    """
    with writing():
        user = users.lock(user_id)
        locked = Cents(user.vault_cents)
        if not locked:
            raise Refusal("Vault is empty")
        if not _is_open(user, now):
            raise Refusal("Vault is still locked")
        User.update(vault_deadline_ms=None).where(User.id == user_id).execute()
        move = Move(locked, Account.VAULT, Account.BALANCE)
        posting.post(kind=LedgerKind.VAULT_UNLOCK, user_id=user_id, moves=[move], now=now)
        record(AuditEventType.VAULT_UNLOCKED, now=now, user_id=user_id, after={"amountCents": locked})
        return users.get_by_id(user_id)


def withdrawable(user: User, *, now: Millis) -> Cents:
    """The balance, and the coins in the vault if they can be unlocked now."""
    return Cents(user.balance_cents + (user.vault_cents if _is_open(user, now) else 0))


def _is_open(user: User, now: Millis) -> bool:
    """Whether no deadline locks the vault, or none that holds for this player."""
    is_over = user.vault_deadline_ms is None or user.vault_deadline_ms <= now
    return is_over or exclusions.is_permanent(user)


def _future(deadline: object, now: Millis) -> Millis:
    if isinstance(deadline, bool) or not isinstance(deadline, int | Decimal):
        raise InvalidDeadline
    # The bounds come before int(), which would compute all digits of 1e999999.
    is_near = Decimal(deadline).is_finite() and now < deadline <= now + LONGEST_LOCK_MS
    if not is_near or deadline != int(deadline):
        raise InvalidDeadline
    return Millis(int(deadline))
