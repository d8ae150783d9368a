"""A player's deposits and withdrawals."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

from models.db.connection import snapshot
from models.payments import Payment
from services.shared.background import in_slices
from services.shared.pagination import Page, Place, rows_of_page
from services.wallet.payments import PaymentType


class Kind(StrEnum):
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


NEWEST_FIRST = (Payment.created_at_ms.desc(), Payment.id.desc())

ORDER = {
    Sort.MOST_RECENT: NEWEST_FIRST,
    Sort.LEAST_RECENT: (Payment.created_at_ms.asc(), Payment.id.asc()),
    Sort.HIGHEST_AMOUNT: (Payment.usd_cents.desc(), *NEWEST_FIRST),
    Sort.LOWEST_AMOUNT: (Payment.usd_cents.asc(), *NEWEST_FIRST),
}

TYPE = {Kind.DEPOSITS: PaymentType.DEPOSIT, Kind.WITHDRAWS: PaymentType.WITHDRAW}


ROWS_A_SLICE = 1_000


def page(*, user_id: int, place: Place, kind: Kind, sort: Sort, search: str) -> Page[Payment]:
    """One page of the player's payments whose txhash, chain or asset contains the search text, in any case.

    A search reads all payments of this player; other requests may run meanwhile.
    """
    condition = Payment.user == user_id
    if kind is not Kind.ALL:
        condition &= Payment.type == TYPE[kind]
    with snapshot(within_limit=True):
        if search:
            found = list(_found(condition, ORDER[sort], search.casefold()))
            return Page(_with_ids(place.slice(found)), len(found))
        query = Payment.select().where(condition)
        total = query.count()
        return Page(rows_of_page(query, order=ORDER[sort], place=place, total=total), total)


def _found(condition: Any, order: Any, folded: str) -> Iterator[int]:
    """The ids of the payments that contain this text, in this order."""
    query = Payment.select(Payment.id, Payment.txhash, Payment.chain, Payment.asset).where(condition)
    rows: Iterable[Any] = query.order_by(*order).tuples().iterator()
    for payment_id, *texts in in_slices(rows, ROWS_A_SLICE):
        # Not in SQL: SQLite folds the case of ASCII letters only.
        if any(folded in text.casefold() for text in texts if text):
            yield payment_id


def _with_ids(ids: Sequence[int]) -> list[Payment]:
    by_id = {payment.id: payment for payment in Payment.select().where(Payment.id.in_(ids))} if ids else {}
    return [by_id[payment_id] for payment_id in ids]
