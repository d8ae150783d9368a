"""Reading the audit trail: searches of the back office, all events page by page, and anchors."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from models.audit_trail import IS_BY_STAFF, AuditAnchor, AuditEvent, stored_rows
from models.db.connection import reading
from models.log import Log
from services.log import bundles
from services.log.tree import HASH_SIZE, TILE_WIDTH, TilePosition, leaf_hash

ROWS_A_PAGE = 500

Row = dict[str, Any]
"""The columns of an event, by their names in models/audit_trail.py."""


class Anchor(NamedTuple):
    """What the public log has about the first ``events`` events."""

    events: int
    digest: str
    at_ms: int


@reading()
def search(
    *,
    who: str | None = None,
    player: str | None = None,
    what: str | None = None,
    since_ms: int | None = None,
    until_ms: int | None = None,
    is_by_staff: bool = False,
    after: tuple[int, int] | None = None,
    limit: int,
) -> list[Row]:
    """The newest events. ``before`` and ``after`` are objects, or texts that were altered.

    Texts are compared as a whole; None is any. ``until_ms`` is exclusive. ``is_by_staff`` finds only what
    staff have done, or somebody who tried to sign in. ``after`` is ``at_ms`` and ``id`` of the last event of
    the page before.
    """
    event = AuditEvent
    query = event.select().order_by(event.at_ms.desc(), event.id.desc()).limit(limit)
    for column, value in ((event.who, who), (event.player, player), (event.what, what)):
        if value is not None:
            query = query.where(column == value)
    if is_by_staff:
        query = query.where(IS_BY_STAFF)
    if since_ms is not None:
        query = query.where(event.at_ms >= since_ms)
    if until_ms is not None:
        query = query.where(event.at_ms < until_ms)
    if after is not None:
        at_ms, event_id = after
        is_older = (event.at_ms < at_ms) | ((event.at_ms == at_ms) & (event.id < event_id))
        # The first condition lets an index find the place.
        query = query.where(event.at_ms <= at_ms, is_older)
    return [row | {name: _value(row[name]) for name in ("before", "after")} for row in stored_rows(query)]


def _value(text: str | None) -> Any:
    """What a JSON text means. A text that was altered stays as it is."""
    try:
        return json.loads(text or "null")
    except ValueError:
        return text


# To be used within ``repeatable_read()``.


def numbered(first: int, last: int) -> Iterator[tuple[int, Row | None]]:
    """Each number with its event, None if that is missing."""
    for start in range(first, last + 1, ROWS_A_PAGE):
        numbers = range(start, min(start + ROWS_A_PAGE, last + 1))
        query = AuditEvent.select().where(AuditEvent.number.between(numbers[0], numbers[-1]))
        found = {row["number"]: row for row in stored_rows(query)}
        yield from ((number, found.get(number)) for number in numbers)


def numbered_otherwise(last: int) -> Iterator[Row]:
    """The events whose number is none from 1 to ``last``."""
    number: Any = AuditEvent.number
    is_strange = ~number.between(1, last) | (number != number.cast("BIGINT"))
    return _pages(AuditEvent.select().where(is_strange), AuditEvent.id)


def waiting() -> Iterator[Row]:
    """The events without a number, in the order of their ids."""
    return _pages(AuditEvent.select().where(AuditEvent.number.is_null()), AuditEvent.id)


def anchors() -> Iterator[Anchor]:
    """The stored anchors, the oldest first."""
    for row in _pages(AuditAnchor.select(), AuditAnchor.events):
        yield Anchor(row["events"], row["digest"], row["at_ms"])


def logged_anchors(log: Log, *, newest_first: bool = False) -> Iterator[Anchor]:
    """The anchors that the public log has in its tree, the oldest first."""
    for _, entry in logged_anchor_entries(log, newest_first=newest_first):
        yield anchor_of(json.loads(entry))


def logged_anchor_entries(log: Log, *, newest_first: bool = False) -> Iterator[tuple[int, bytes]]:
    """The same with the index and the whole entry of each."""
    numbers = range(-(-log.size // TILE_WIDTH))
    step = -1 if newest_first else 1
    for number in numbers[::step]:
        references = bundles.references(number)
        others = bundles.other_contents(references)
        tile = b""
        # What is stored after the end is not signed.
        for offset in range(min(len(references), log.size - number * TILE_WIDTH))[::step]:
            entry = others.get(references[offset], b"")
            if b'"audit":' in entry:
                tile = tile or bundles.read_tile(TilePosition(0, number))
                if tile[offset * HASH_SIZE : (offset + 1) * HASH_SIZE] == leaf_hash(entry):
                    yield number * TILE_WIDTH + offset, entry


def anchor_of(entry: dict[str, Any]) -> Anchor:
    """The anchor in an entry of the public log. Raises KeyError or TypeError."""
    return Anchor(entry["events"], entry["audit"], entry["at"])


def _pages(query: Any, key: Any) -> Iterator[Row]:
    last = 0
    while page := stored_rows(query.where(key > last).order_by(key).limit(ROWS_A_PAGE)):
        yield from page
        last = page[-1][key.name]
