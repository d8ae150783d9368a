"""Prizes: the real-life items that players have won. They are kept, sold or shipped."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from cryptography.fernet import InvalidToken

from models.bets import IS_TO_SHIP, Prize
from models.db.connection import reading, repeatable_read, writing
from models.users import User
from services.accounts import notifications, profile, users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.pagination import Page, Place, rows_of_page
from services.shared.text import checked_reason, is_storable

ALL = "all"

NEEDED = ("first_name", "last_name", "address_line1", "city", "zip_code", "country")

ADDRESS = (*NEEDED, "address_line2", "state", "phone")
"""The columns of PersonalDetails that a parcel needs, and all that it gets."""

MAX_TRACKING = 200

Address = dict[str, str]
"""The columns of ADDRESS."""


class Status(StrEnum):
    """A prize is kept first, then sold, or to be shipped and then shipped."""

    KEPT = "kept"
    SOLD = "sold"
    SHIPPING = "shipping"
    SHIPPED = "shipped"


def page(*, user_id: int, place: Place, status: str) -> Page[Prize]:
    """One page of the player's prizes with this status, or of ALL, newest first."""
    condition = Prize.user == user_id
    if status != ALL:
        condition &= Prize.status == status
    query = Prize.select().where(condition)
    with repeatable_read(within_limit=True):
        total = query.count()
        return Page(rows_of_page(query, order=[Prize.id.desc()], place=place, total=total), total)


class PrizeNotFound(Refusal):
    """No prize has this id, or it is another player's."""

    status = 404
    text = "Prize not found"


@reading()
def get(*, user_id: int, prize_id: int) -> Prize:
    """The player's own prize. Raises PrizeNotFound."""
    prize = Prize.get_or_none(Prize.id == prize_id, Prize.user == user_id)
    if prize is None:
        raise PrizeNotFound
    return prize


def leave_kept(prize_id: int, **changes: str) -> None:
    """Change a prize that is ``kept``, within ``writing()``. One of several concurrent changes succeeds.

    Raises Refusal for another status.
    """
    is_kept = (Prize.id == prize_id) & (Prize.status == Status.KEPT)
    if not Prize.update(changes).where(is_kept).execute():
        raise Refusal("Prize is no longer available")


def sell(*, user_id: int, prize_id: int, now: Millis) -> tuple[Cents, User]:
    """Sell the player's prize for its value; returns the value and the player after the sale.

    A prize without a value can be sold as well; nothing is posted then. When a sale and a request for
    shipping run concurrently, one succeeds. Raises PrizeNotFound, and Refusal if it is not kept.
    """
    prize = get(user_id=user_id, prize_id=prize_id)
    amount = Cents(prize.value_cents)
    with writing():
        leave_kept(prize_id, status=Status.SOLD)
        if amount:
            move = Move(amount, Account.HOUSE_PRIZES, Account.BALANCE)
            posting.post(kind=LedgerKind.PRIZE_SALE, user_id=user_id, moves=[move], now=now)
        sold = {"prize": prize_id, "amountCents": amount}
        record(AuditEventType.PRIZE_SOLD, now=now, user_id=user_id, after=sold)
        return amount, users.get_by_id(user_id)


RETURNABLE = (Status.SHIPPING, Status.SHIPPED)
"""The statuses of prizes that are kept again when they can't be delivered."""


class Shipping:
    """Takes requests for shipping. The addresses are encrypted in the database."""

    def __init__(self, *, encrypter: Encrypter) -> None:
        self.encrypter = encrypter

    def request(self, *, user_id: int, prize_id: int, now: Millis) -> None:
        """Have the player's prize shipped to the address that the player's details contain now.

        When a request and a sale run concurrently, one succeeds. Raises PrizeNotFound, and
        Refusal if it is not kept or the details are incomplete, checked in this order.
        """
        get(user_id=user_id, prize_id=prize_id)
        details = profile.details_of(user_id)
        address = {name: getattr(details, name) for name in ADDRESS}
        token = self.encrypter.encrypt(decimal_json.dumps(address))
        with writing():
            leave_kept(prize_id, status=Status.SHIPPING, encrypted_address=token)
            if not all(address[name] for name in NEEDED):
                raise Refusal("Shipping details are incomplete")
            record(AuditEventType.SHIPPING_REQUESTED, now=now, user_id=user_id, after={"prize": prize_id})

    def listed(self, *, status: str) -> Iterator[tuple[Prize, Address | None]]:
        """All players' prizes with this status, or of ALL, oldest first, and where to ship them.

        The address is None unless the player has asked for shipping, and if no key decrypts it.
        """
        query = Prize.select(Prize, User).join(User).order_by(Prize.id)
        if status != ALL:
            query = query.where(Prize.status == status)
        with repeatable_read():
            for prize in query.iterator():
                yield prize, self.address_of(prize)

    def address_of(self, prize: Prize) -> Address | None:
        """Where to ship a prize. None before the player asks for it, and if no key decrypts the address."""
        if prize.encrypted_address is None:
            return None
        try:
            address: Address = decimal_json.loads(self.encrypter.decrypt(prize.encrypted_address))
        except InvalidToken:
            return None
        return address


@reading()
def to_ship(*, place: Place, status: Status) -> Page[Any]:
    """One page of all players' prizes with this status, without addresses, the oldest first."""
    query = Prize.select(Prize, User).join(User).where(Prize.status == status)
    if status is Status.SHIPPING:
        # The condition of the index, with a literal.
        query = query.where(IS_TO_SHIP)
    total = query.count()
    return Page(rows_of_page(query, order=[Prize.id.asc()], place=place, total=total), total)


def mark_shipped(*, prize_id: int, now: Millis, tracking: str = "", reason: str = "") -> Prize:
    """Mark a prize as shipped, after its player has asked for that; returns it. The player is notified.

    ``tracking`` says how the parcel can be followed. One of several concurrent calls succeeds. Raises
    PrizeNotFound, and Refusal for another status or a bad text.
    """
    tracking = tracking.strip()
    if len(tracking) > MAX_TRACKING or not is_storable(tracking):
        raise Refusal(f"the tracking must be a text of at most {MAX_TRACKING} characters")
    with writing():
        is_due = (Prize.id == prize_id) & (Prize.status == Status.SHIPPING)
        shipped = {"status": Status.SHIPPED, "tracking": tracking or None}
        is_marked = Prize.update(shipped).where(is_due).execute()
        prize: Prize | None = Prize.get_or_none(Prize.id == prize_id)
        if prize is None:
            raise PrizeNotFound
        if not is_marked:
            raise Refusal(f"the prize is {prize.status}, not {Status.SHIPPING}")
        user_id: int = prize.user_id  # type: ignore[attr-defined]  # made by peewee
        if prize.value_cents:
            move = Move(Cents(prize.value_cents), Account.HOUSE_PRIZES, Account.HOUSE_SHIPPED)
            posting.post(kind=LedgerKind.PRIZE_SHIPPED, user_id=user_id, moves=[move], now=now)
        after = {"prize": prize_id} | ({"tracking": tracking} if tracking else {}) | because(reason)
        record(AuditEventType.PRIZE_SHIPPED, now=now, user_id=user_id, after=after)
        message = f"{prize.name} is on its way." + (f" Tracking: {tracking}" if tracking else "")
        notifications.notify(user_id=user_id, title="Prize shipped", message=message, now=now)
        return prize


def mark_returned(*, prize_id: int, reason: str, now: Millis) -> Prize:
    """Keep a prize again that can't be delivered, shipped or not yet; returns it. The player is notified.

    Its address and tracking are forgotten. One of several concurrent calls succeeds. Raises PrizeNotFound,
    and Refusal for another status or a bad reason.
    """
    reason = checked_reason(reason)
    with writing():
        prize: Prize | None = Prize.get_or_none(Prize.id == prize_id)
        if prize is None:
            raise PrizeNotFound
        was = prize.status
        if was not in RETURNABLE:
            raise Refusal(f"the prize is {was}, not {' or '.join(RETURNABLE)}")
        kept = {"status": Status.KEPT, "encrypted_address": None, "tracking": None}
        if not Prize.update(kept).where(Prize.id == prize_id, Prize.status == was).execute():
            raise Refusal("another process has changed the prize meanwhile; look at it again")
        user_id: int = prize.user_id  # type: ignore[attr-defined]  # made by peewee
        if was == Status.SHIPPED and prize.value_cents:
            move = Move(Cents(prize.value_cents), Account.HOUSE_SHIPPED, Account.HOUSE_PRIZES)
            posting.post(kind=LedgerKind.PRIZE_RETURNED, user_id=user_id, moves=[move], now=now)
        after = {"prize": prize_id, "was": was, "reason": reason}
        record(AuditEventType.PRIZE_RETURNED, now=now, user_id=user_id, after=after)
        message = f"{prize.name} could not be delivered. You have it again: check your address, or sell it."
        notifications.notify(user_id=user_id, title="Prize not delivered", message=message, now=now)
        return Prize.get_by_id(prize_id)
