"""Lists of deposits and withdrawals: one player's, and those for staff."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import peewee
from peewee import SQL, fn

from models.db.connection import reading, repeatable_read
from models.payments import Deposit, DepositStatus, Withdrawal, WithdrawalStatus
from models.users import User
from services.payments.withdrawals import HELD
from services.shared.clock import Millis
from services.shared.pagination import Page, Place, rows_of_page

STATUSES = tuple(dict.fromkeys(status.value for status in (*DepositStatus, *WithdrawalStatus)))
"""A status belongs to one or both kinds."""

WATCHED = {
    "deposit": (DepositStatus.CREATED, DepositStatus.PENDING, DepositStatus.CONFIRMING, DepositStatus.REVIEW),
    "withdrawal": HELD,
}
"""The statuses that something or somebody still has to end."""


class EntryType(StrEnum):
    """The type of an entry."""

    ALL = "all"
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"


Row = Deposit | Withdrawal

TABLES: dict[str, type[Row]] = {EntryType.DEPOSIT: Deposit, EntryType.WITHDRAWAL: Withdrawal}


def type_of(row: Row) -> str:
    """The type of an entry, as the API names it."""
    return EntryType.DEPOSIT if isinstance(row, Deposit) else EntryType.WITHDRAWAL


def page(*, user_id: int, place: Place, type_: str, status: str) -> Page[Row]:
    """One page of the player's deposits and withdrawals, newest first."""
    parts = [_ids(name, user_id, status) for name in TABLES if type_ in (name, EntryType.ALL)]
    union = parts[0] if len(parts) == 1 else parts[0].union_all(parts[1])
    listed = union.alias("listed")
    query = peewee.Select([listed], [listed.c.type, listed.c.id]).bind(Deposit._meta.database)  # noqa: SLF001
    order = [listed.c.created_at_ms.desc(), listed.c.id.desc()]
    with repeatable_read(within_limit=True):
        total = sum(part.count() for part in parts)
        found = rows_of_page(query.tuples(), order=order, place=place, total=total)
        return Page(_rows(found), total)


@reading()
def is_deposit(row_id: str) -> bool:
    """Whether this is the id of a deposit."""
    return bool(Deposit.select().where(Deposit.id == row_id).exists())


def listed(*, type_: str, status: str) -> Iterator[tuple[Row, str]]:
    """All players' deposits and then withdrawals, oldest first, each with its player's platform id."""
    with repeatable_read():
        for name, table in TABLES.items():
            if type_ not in (name, EntryType.ALL):
                continue
            query = table.select(table, User).join(User).order_by(table.created_at_ms, table.id)
            if status != EntryType.ALL:
                query = query.where(table.status == status)
            for row in query.iterator():
                yield row, row.user.platform_id


@reading()
def changed_since(at: Millis, *, most: int) -> list[Row]:
    """The deposits and withdrawals that have changed since then, oldest change first."""
    rows: list[Row] = []
    for table in TABLES.values():
        changed: Any = table.select().where(table.changed_at_ms >= at)
        rows.extend(changed.order_by(table.changed_at_ms, table.id).limit(most))
    return sorted(rows, key=lambda row: (row.changed_at_ms, row.id))


@reading()
def open_counts() -> list[tuple[str, str, int, Millis]]:
    """Type, status, number and oldest change of what is open."""
    counts = []
    for name, table in TABLES.items():
        query: Any = table.select(table.status, fn.COUNT(SQL("*")), fn.MIN(table.changed_at_ms))
        grouped = query.where(table.status.in_(WATCHED[name])).group_by(table.status).tuples()
        counts += [(str(name), status, number, Millis(oldest)) for status, number, oldest in grouped]
    return counts


def _ids(name: str, user_id: int, status: str) -> peewee.Select:
    table, type_ = TABLES[name], peewee.Value(str(name)).alias("type")
    query = table.select(type_, table.id, table.created_at_ms).where(table.user == user_id)
    return query if status == EntryType.ALL else query.where(table.status == status)


def _rows(found: Sequence[tuple[str, str]]) -> list[Row]:
    """The rows with these types and ids, in this order."""
    rows: dict[tuple[str, str], Row] = {}
    for name, table in TABLES.items():
        ids = [row_id for type_, row_id in found if type_ == name]
        selected: Any = table.select().where(table.id.in_(ids))
        rows |= {(str(name), row.id): row for row in selected}
    return [rows[key] for key in found]
