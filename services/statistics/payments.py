"""A player's deposits and withdrawals."""

from enum import StrEnum

from models.database import snapshot
from models.payments import Payment
from models.rollups import PaymentTotals
from services.pages import Page, Place, rows_of_page
from services.payments import PaymentType


class Kind(StrEnum):
    """Which payments a list has."""

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


def page(*, user_id: int, place: Place, kind: Kind, sort: Sort, search: str) -> Page[Payment]:
    """One page of the player's payments whose txhash, chain or asset has the search text in it, in any case.

    A search reads all payments of this one player; a page without a search never does.
    """
    query = Payment.select().where(Payment.user == user_id)
    if kind is not Kind.ALL:
        query = query.where(Payment.type == TYPE[kind])
    with snapshot(within_limit=True):
        if search:
            # Not in SQL: SQLite folds the case of ASCII letters only.
            found = [
                payment for payment in query.order_by(*ORDER[sort]) if _matches(payment, search.casefold())
            ]
            start, end = place.bounds(len(found))
            return Page(found[start:end], len(found))
        total = _count(user_id, kind)
        return Page(rows_of_page(query, order=ORDER[sort], place=place, total=total), total)


def _matches(payment: Payment, folded: str) -> bool:
    texts = (payment.txhash or "", payment.chain, payment.asset)
    return any(folded in text.casefold() for text in texts)


def _count(user_id: int, kind: Kind) -> int:
    totals = PaymentTotals.get_or_none(PaymentTotals.user == user_id)
    if totals is None:
        return 0
    counts = {Kind.DEPOSITS: totals.deposits, Kind.WITHDRAWS: totals.withdraws}
    return int(counts.get(kind, totals.deposits + totals.withdraws))
