"""The vault: coins that a player locks away from the balance until a time of their choice."""

from decimal import Decimal

from models.database import writing
from models.users import User
from services import ledger
from services.balances import Balances, balances_of
from services.clock import Millis
from services.errors import InsufficientBalance, PlatformError
from services.ledger import Account, Entry, Kind
from services.money import Cents, NotAnAmount, cents_from_number

# The longest ten years of a calendar, with three leap days.
LONGEST_LOCK = Millis(3_653 * 24 * 3600 * 1000)


class AmountAndDeadlineRequired(PlatformError):
    """One of the two is missing or null."""

    text = "Amount and deadline are required"


class InvalidAmount(PlatformError):
    """Not a positive, exact amount, or more than the balance."""

    text = "Invalid amount"


class InvalidDeadline(PlatformError):
    """Not a whole number of ms in the next ten years, or before the standing deadline."""

    text = "Invalid deadline"


class VaultEmpty(PlatformError):
    """There is nothing to unlock."""

    text = "Vault is empty"


class VaultStillLocked(PlatformError):
    """The deadline has not passed yet."""

    text = "Vault is still locked"


def lock(*, user_id: int, amount: object, deadline: object, now: Millis) -> Balances:
    """Move coins from the balance into the vault until a time in ms; returns what the player has then.

    Amount and deadline are as they came in, and are judged here in the promised order. Adds to what is
    locked already; the deadline can only move later. Of two locks at once the earlier deadline comes
    first or is refused. Raises AmountAndDeadlineRequired, InvalidAmount, InvalidDeadline.
    Source: SPEC 3.1, DECISIONS 8.
    """
    if amount is None or deadline is None:
        raise AmountAndDeadlineRequired
    cents = _positive_cents(amount)
    until = _future(deadline, now)
    with writing():
        _move_deadline(user_id, until)
        try:
            _post(Kind.VAULT_LOCK, user_id, to_vault=cents, now=now)
        except InsufficientBalance:
            raise InvalidAmount from None
        return balances_of(user_id)


def unlock(*, user_id: int, now: Millis) -> Balances:
    """Move all of the vault back to the balance and forget the deadline; returns what the player has then.

    Of two unlocks at once one moves the coins, the other finds the vault empty. A lock that lands before
    is moved too or, with its later deadline, keeps all of it locked. Raises VaultEmpty, VaultStillLocked.
    """
    with writing():
        # This row is ours from here on, so what is read next is what the vault holds until the commit.
        opened = (
            User.update(vault_deadline_ms=None)
            .where(
                User.id == user_id,
                User.vault_cents > 0,
                User.vault_deadline_ms.is_null() | (User.vault_deadline_ms <= now),
            )
            .execute()
        )
        locked = balances_of(user_id).vault
        if not opened:
            raise VaultStillLocked if locked else VaultEmpty
        _post(Kind.VAULT_UNLOCK, user_id, to_vault=Cents(-locked), now=now)
        return balances_of(user_id)


def _positive_cents(amount: object) -> Cents:
    try:
        cents = cents_from_number(amount)
    except NotAnAmount:
        raise InvalidAmount from None
    if cents <= 0:
        raise InvalidAmount
    return cents


def _future(deadline: object, now: Millis) -> Millis:
    if isinstance(deadline, bool) or not isinstance(deadline, int | Decimal):
        raise InvalidDeadline
    # The bounds come before int(), which would write out the digits of an enormous number.
    if isinstance(deadline, Decimal) and not deadline.is_finite():
        raise InvalidDeadline
    if not now < deadline <= now + LONGEST_LOCK or deadline != int(deadline):
        raise InvalidDeadline
    return Millis(int(deadline))


def _move_deadline(user_id: int, until: Millis) -> None:
    """Guarded in the statement itself: another lock may have moved it since anybody looked."""
    moved = (
        User.update(vault_deadline_ms=until)
        .where(User.id == user_id, User.vault_deadline_ms.is_null() | (User.vault_deadline_ms <= until))
        .execute()
    )
    if not moved:
        raise InvalidDeadline


def _post(kind: Kind, user_id: int, *, to_vault: Cents, now: Millis) -> None:
    entries = [
        Entry(Account.BALANCE, Cents(-to_vault), user_id),
        Entry(Account.VAULT, to_vault, user_id),
    ]
    ledger.post(kind=kind, entries=entries, now=now)
