"""A player's prizes: their statuses, lists of them, and selling one."""

from enum import StrEnum

from models.bets import Prize
from models.db.connection import reading, repeatable_read, writing
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.pagination import Page, Place, rows_of_page

ALL = "all"


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
