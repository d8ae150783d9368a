"""What each entry of a log is made from, in bundles of 256 like the entries that are served.

An entry is referred to by the id of its row, such as a bet, or below 0 by that of its row in ``log_entries``.
"""

import struct
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

import peewee

from models.db.connection import reading
from models.log import LogBundle, LogEntry
from services.log.stored_tiles import NotStored
from services.log.tiles import TILE_WIDTH

BYTES = 8
"""Of one reference."""

BUNDLES_AT_ONCE = 4

ROWS_AT_ONCE = 500
"""In one query: SQLite has a limit of its parameters."""


class Entry(NamedTuple):
    """An entry to append, and what it is made from: the id of a row, or below 0 that in ``log_entries``."""

    reference: int
    content: bytes


class Source(Protocol):
    """The rows that the entries of a log are made from, but for those of ``log_entries``."""

    log: str
    """The name of the log."""

    def contents(self, ids: Collection[int], /) -> dict[int, bytes]:
        """The entries of these rows by their ids, in the order of the ids, without those that are missing."""

    def is_waiting(self) -> bool:
        """Whether something may wait to be appended."""

    def waiting(self, at_most: int | None, /) -> list[Entry]:
        """What to append first."""

    def remove(self, references: Sequence[int], /) -> None:
        """Remove from what waits. To be used within ``writing()``."""


def extend(log: str, size: int, references: Sequence[int]) -> None:
    """Add the references of entries that are appended to a log of this size. Within ``writing()``."""
    number, kept = divmod(size, TILE_WIDTH)
    last = _bundle(log, number) if kept else _bundle(log, number - 1)
    before = _unpack(last.references)[:kept] if last and kept else []
    highest = last.highest_id if last else 0
    rows: list[dict[str, Any]] = []
    for some in peewee.chunked([*before, *references], TILE_WIDTH):
        ids = [reference for reference in some if reference > 0]
        highest = max([highest, *ids])
        rows.append(
            {
                "log": log,
                "number": number + len(rows),
                "references": struct.pack(f">{len(some)}q", *some),
                "highest_id": highest,
                "lowest_id": min(ids, default=None),
            }
        )
    row = LogBundle
    inserted = row.insert_many(rows).on_conflict(
        conflict_target=[row.log, row.number],
        preserve=[row.references, row.highest_id, row.lowest_id],
    )
    if inserted.as_rowcount().execute() != len(rows):
        raise NotStored


@reading()
def references(log: str, number: int) -> list[int]:
    """The references of a bundle, as far as they are stored; none for a bundle past the end."""
    found = _bundle(log, number)
    return _unpack(found.references) if found else []


@reading()
def index_of(log: str, row_id: int) -> int | None:
    """The index of the entry of a row; None if it is not in the log."""
    row = LogBundle
    # Rows are appended nearly in the order of their ids: in this bundle, or a few after it.
    may_have = (row.log == log) & (row.highest_id >= row_id) & (row.lowest_id <= row_id)
    query = row.select().where(may_have).order_by(row.highest_id, row.number)
    page = 1
    while found := list(query.paginate(page, BUNDLES_AT_ONCE)):
        for bundle in found:
            references = _unpack(bundle.references)
            if row_id in references:
                return int(bundle.number * TILE_WIDTH + references.index(row_id))
        page += 1
    return None


def contents(wanted: Sequence[int], source: Source) -> list[bytes]:
    """The entries with these references, in their order. Raises KeyError for one whose row is missing."""
    found = existing_contents(wanted, source)
    return [found[each] for each in wanted]


@reading()
def existing_contents(wanted: Sequence[int], source: Source) -> dict[int, bytes]:
    """The entries with these references, by reference, without those whose row is missing."""
    return source.contents([each for each in wanted if each > 0]) | other_contents(wanted)


@reading()
def other_contents(wanted: Sequence[int]) -> dict[int, bytes]:
    """Those of the entries with these references that are stored in ``log_entries``, by reference."""
    found: dict[int, bytes] = {}
    others = [-each for each in wanted if each < 0]
    for some in peewee.chunked(others, ROWS_AT_ONCE):
        rows: Any = LogEntry.select(LogEntry.id, LogEntry.text).where(LogEntry.id.in_(list(some)))
        found |= {-entry_id: text.encode() for entry_id, text in rows.tuples()}
    return found


def _bundle(log: str, number: int) -> LogBundle | None:
    found: LogBundle | None = LogBundle.get_or_none(LogBundle.log == log, LogBundle.number == number)
    return found


def _unpack(packed: bytes) -> list[int]:
    return [reference for (reference,) in struct.iter_unpack(">q", packed[: len(packed) // BYTES * BYTES])]
