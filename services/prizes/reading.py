"""Reading a player's prizes."""

from enum import StrEnum

from models.db.connection import reading, snapshot
from models.prizes import Prize
from services.shared.errors import PlatformError
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
    with snapshot(within_limit=True):
        total = query.count()
        return Page(rows_of_page(query, order=[Prize.id.desc()], place=place, total=total), total)


class PrizeNotFound(PlatformError):
    """No prize has this id, or it is another player's."""

    status = 404
    text = "Prize not found"


class PrizeNotAvailable(PlatformError):
    """The prize is not ``kept``."""

    text = "Prize is no longer available"


@reading()
def get(*, user_id: int, prize_id: int) -> Prize:
    """The player's own prize. Raises PrizeNotFound."""
    prize = Prize.get_or_none(Prize.id == prize_id, Prize.user == user_id)
    if prize is None:
        raise PrizeNotFound
    return prize
