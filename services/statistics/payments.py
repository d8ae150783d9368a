"""A player's deposits and withdrawals."""

from enum import StrEnum
from typing import Any

from models.db.connection import repeatable_read
from models.payments import PaymentRecord, PaymentType
from services.shared.background import in_slices
from services.shared.pagination import Page, Place, rows_of_page


class PaymentKind(StrEnum):
    """The types of payments in a list."""

    ALL = "all"
    DEPOSITS = "deposits"
    WITHDRAWS = "withdraws"


class Sort(StrEnum):
    """The order of a page. Equal amounts are newest first in either order."""

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"
    HIGHEST_AMOUNT = "highest-amount"
    LOWEST_AMOUNT = "lowest-amount"


NEWEST_FIRST = (PaymentRecord.created_at_ms.desc(), PaymentRecord.id.desc())

ORDER = {
    Sort.MOST_RECENT: NEWEST_FIRST,
    Sort.LEAST_RECENT: (PaymentRecord.created_at_ms.asc(), PaymentRecord.id.asc()),
    Sort.HIGHEST_AMOUNT: (PaymentRecord.usd_cents.desc(), *NEWEST_FIRST),
    Sort.LOWEST_AMOUNT: (PaymentRecord.usd_cents.asc(), *NEWEST_FIRST),
}

TYPE = {PaymentKind.DEPOSITS: PaymentType.DEPOSIT, PaymentKind.WITHDRAWS: PaymentType.WITHDRAWAL}

ROWS_A_SLICE = 1_000


def page(*, user_id: int, place: Place, kind: PaymentKind, sort: Sort, search: str) -> Page[Any]:
    """One page of the player's payments whose txhash, chain or asset contains the search text, in any case.

    A search reads all payments of this player; other requests may run meanwhile.
    """
    condition = PaymentRecord.user == user_id
    if kind is not PaymentKind.ALL:
        condition &= PaymentRecord.type == TYPE[kind]
    query, folded = PaymentRecord.select().where(condition).namedtuples(), search.casefold()
    with repeatable_read(within_limit=True):
        if not search:
            total = query.count()
            return Page(rows_of_page(query, order=ORDER[sort], place=place, total=total), total)
        found = [
            payment
            for payment in in_slices(query.order_by(*ORDER[sort]).iterator(), ROWS_A_SLICE)
            # Not in SQL: SQLite folds the case of ASCII letters only.
            if any(folded in text.casefold() for text in (payment.txhash, payment.chain, payment.asset))
        ]
        return Page(list(place.slice(found)), len(found))
