"""Reading the rows of a part, page by page: no transaction and no statement lasts long."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import peewee
from peewee import JOIN, fn

from models.audit_trail import AuditEvent
from models.battles import Battle
from models.bets import Bet, Prize
from models.cases import CaseItem
from models.db.connection import database, reading
from models.users import User
from services.exports.parts import Part
from services.shared.text import camel_case
from services.wallet.prizes import Shipping

ROWS_A_PAGE = 500

IDS_A_WINDOW = 5_000

Row = dict[str, Any]

TOO_LARGE = (Bet.ticket, CaseItem.ticket_width)
"""Numbers that JSON readers may round, so they are texts."""
JSON_TEXTS = (Battle.outcome,)
"""Texts of objects, which the file has as objects."""


def pages(part: Part, player: User, *, shipping: Shipping) -> Iterator[list[Row]]:
    """Yield the player's rows of a part, ready for JSON.

    Rows that are written meanwhile may be among them. Must not be called within a transaction.
    """
    finish = _finisher(part, player, _Conversions(shipping))
    for condition in part.rows:
        for page in _stored_pages(part, condition(player)):
            yield finish(page)


def _stored_pages(part: Part, condition: Any) -> Iterator[list[tuple[Any, ...]]]:
    """Pages of stored rows: the values of the key, and then of the columns."""
    query = part.table.select(*part.order, *part.columns.values()).where(condition)
    for key in part.joined:
        query = query.join_from(part.table, key.rel_model, JOIN.LEFT_OUTER, on=(key == key.rel_field))
    if part.in_windows:
        yield from _in_windows(query, part.order[0])
        return
    width = len(part.order)
    query = query.order_by(*part.order).limit(ROWS_A_PAGE)
    # Peewee takes as long to write a query as the database to answer it.
    text, values = query.where(peewee.Tuple(*part.order) > peewee.Tuple(*[0] * width)).sql()
    rows = _read(*query.sql())
    while rows:
        yield rows
        if len(rows) < ROWS_A_PAGE:
            return
        # The last one is the limit.
        values[-1 - width : -1] = rows[-1][:width]
        rows = _read(text, values)


def _in_windows(query: Any, key: Any) -> Iterator[list[tuple[Any, ...]]]:
    with reading():
        last = key.model.select(fn.MAX(key)).scalar() or 0
    for first in range(0, last + 1, IDS_A_WINDOW):
        window = key.between(first, first + IDS_A_WINDOW - 1)
        yield _read(*query.where(window).order_by(key).sql())


@reading()
def _read(text: str, values: list[Any]) -> list[tuple[Any, ...]]:
    # Without the objects that peewee makes of rows, which take several times as long.
    rows: list[tuple[Any, ...]] = database.execute_sql(text, values).fetchall()
    return rows


def _finisher(
    part: Part, player: User, conversion: "_Conversions"
) -> Callable[[list[tuple[Any, ...]]], list[Row]]:
    """A function that makes objects for JSON of stored rows."""
    names = [camel_case(name) for name in part.columns]
    first = len(part.order)
    converted = [
        (place, convert)
        for place, column in enumerate(part.columns.values())
        if (convert := conversion.of(column)) is not None
    ]

    def finish(page: list[tuple[Any, ...]]) -> list[Row]:
        rows = []
        for stored in page:
            values = list(stored[first:])
            for place, convert in converted:
                if values[place] is not None:
                    values[place] = convert(values[place])
            rows.append(dict(zip(names, values, strict=True)))
        if part.table is AuditEvent:
            _hide_staff(rows, player)
        return rows

    return finish


class _Conversions:
    """How stored values become those of JSON."""

    def __init__(self, shipping: Shipping) -> None:
        self._shipping = shipping

    def of(self, column: Any) -> Callable[[Any], Any] | None:
        """The conversion of a column's values; None if they are values of JSON."""
        if column is Prize.encrypted_address:
            return self._address
        if any(column is each for each in TOO_LARGE):
            return str
        if any(column is each for each in JSON_TEXTS):
            return orjson.loads
        if isinstance(column, peewee.BlobField):
            return lambda value: bytes(value).hex()
        # SQLite has no booleans.
        return bool if isinstance(column, peewee.BooleanField) else None

    def _address(self, encrypted: str) -> dict[str, str]:
        """Where a prize was shipped; empty if no key decrypts it."""
        address = self._shipping.address_of(Prize(encrypted_address=encrypted)) or {}
        return {camel_case(name): text for name, text in address.items()}


def _hide_staff(rows: list[Row], player: User) -> None:
    """Read the objects of events. Of those by others, leave out who it was, from where, and why."""
    for row in rows:
        for name in ("before", "after"):
            row[name] = _object(row[name])
        if row["who"] != player.platform_id:
            row["address"] = None
            row["who"], *_ = row["who"].partition(":")
            if isinstance(row["after"], dict):
                row["after"].pop("reason", None)
        if row["player"] != player.platform_id:
            row["player"] = None


def _object(text: str | None) -> Any:
    try:
        return json.loads(text or "null")
    except ValueError:
        # It was altered in the database.
        return text
