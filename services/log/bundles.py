"""What the database has of the log: tiles of its tree, and what each entry is made from.

An entry is made from the row of a bet whenever it is needed, or is stored in ``log_entries``. Its *reference*
is the id of the bet, or below 0 that of the row in ``log_entries``. References are kept in bundles of 256,
like the entries that are served.

Everything here is to be used within ``reading()`` or ``writing()``.
"""

import struct
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import peewee

from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import database
from models.log import LogBundle, LogEntry, LogTile
from models.users import User
from services.log import entries
from services.log.entries import LoggedBet, Pseudonyms
from services.log.tree import TILE_WIDTH, TilePosition

BYTES = 8
"""Of one reference."""

BUNDLES_AT_ONCE = 4

ROWS_AT_ONCE = 500
"""In one query: SQLite has a limit of its parameters."""

BET_COLUMNS = [Snapshot.hash if name == "snapshot" else getattr(Bet, name) for name in LoggedBet._fields]


class NotStored(Exception):
    """A trigger or a rule of the database has dropped rows, so the transaction must fail."""


class Entry(NamedTuple):
    """An entry to append, and its reference."""

    reference: int
    content: bytes
    snapshot_id: int | None = None
    """Of the bet, if it is an opening."""


def read_tile(position: TilePosition) -> bytes:
    """The hashes of a tile, as many as are stored; none for a tile past the end."""
    is_wanted = (LogTile.level == position.level) & (LogTile.number == position.number)
    return bytes(LogTile.select(LogTile.hashes).where(is_wanted).scalar() or b"")


def store_tiles(tiles: dict[TilePosition, bytes]) -> None:
    """Add these tiles, or replace them. Raises NotStored."""
    rows = [{**position._asdict(), "hashes": hashes} for position, hashes in tiles.items()]
    inserted = LogTile.insert_many(rows).on_conflict(
        conflict_target=[LogTile.level, LogTile.number], preserve=[LogTile.hashes]
    )
    if inserted.as_rowcount().execute() != len(rows):
        raise NotStored


def store_entry(content: bytes) -> Entry:
    """Write an entry that is not made from a bet."""
    return Entry(-int(LogEntry.create(text=content.decode()).id), content)


def store_references(size: int, references: Sequence[int]) -> None:
    """Add the references of entries that are appended to a log of this size. Raises NotStored."""
    number, kept = divmod(size, TILE_WIDTH)
    last = _bundle(number) if kept else _bundle(number - 1)
    before = _unpack(last.references)[:kept] if last and kept else []
    highest = last.highest_id if last else 0
    rows: list[dict[str, Any]] = []
    for some in peewee.chunked([*before, *references], TILE_WIDTH):
        ids = [reference for reference in some if reference > 0]
        highest = max([highest, *ids])
        packed = struct.pack(f">{len(some)}q", *some)
        rows.append(
            {
                "number": number + len(rows),
                "references": packed,
                "highest_id": highest,
                "lowest_id": min(ids, default=None),
            }
        )
    row = LogBundle
    inserted = row.insert_many(rows).on_conflict(
        conflict_target=[row.number], preserve=[row.references, row.highest_id, row.lowest_id]
    )
    if inserted.as_rowcount().execute() != len(rows):
        raise NotStored


def references(number: int) -> list[int]:
    """The references of a bundle, as far as they are stored; none for a bundle past the end."""
    found = _bundle(number)
    return _unpack(found.references) if found else []


def index_of(bet_id: int) -> int | None:
    """The index of the entry of a bet; None if it is not in the log."""
    row = LogBundle
    # Bets are appended nearly in the order of their ids: in this bundle, or a few after it.
    may_have = (row.highest_id >= bet_id) & (row.lowest_id <= bet_id)
    query = row.select().where(may_have).order_by(row.highest_id, row.number)
    page = 1
    while found := list(query.paginate(page, BUNDLES_AT_ONCE)):
        for bundle in found:
            references = _unpack(bundle.references)
            if bet_id in references:
                return int(bundle.number * TILE_WIDTH + references.index(bet_id))
        page += 1
    return None


def bet_entries(bet_ids: Collection[int], pseudonyms: Pseudonyms) -> Iterator[Entry]:
    """The entries of these bets, in the order of their ids, without those that are missing."""
    for some in peewee.chunked(sorted(bet_ids), ROWS_AT_ONCE):
        query: Any = (
            Bet.select(Bet.id, Bet.snapshot, User.platform_id, User.pseudonym, *BET_COLUMNS)
            .join(User)
            .switch(Bet)
            .join(Snapshot, peewee.JOIN.LEFT_OUTER)
            .where(Bet.id.in_(list(some)))
            .order_by(Bet.id)
        )
        # The driver's own rows: nothing in these columns needs converting.
        for bet_id, snapshot_id, platform_id, stored, *columns in database.execute(query):
            player = stored or pseudonyms.of(platform_id)
            content = entries.bet(LoggedBet._make(columns), player=player)
            yield Entry(bet_id, content, snapshot_id)


def contents(wanted: Collection[int], pseudonyms: Pseudonyms) -> dict[int, bytes]:
    """The entries with these references, by reference, without those whose row is missing."""
    bets = [reference for reference in wanted if reference > 0]
    found = {entry.reference: entry.content for entry in bet_entries(bets, pseudonyms)}
    return found | other_contents(wanted)


def other_contents(wanted: Collection[int]) -> dict[int, bytes]:
    """Those of the entries with these references that are not made from bets."""
    found: dict[int, bytes] = {}
    others = [-reference for reference in wanted if reference < 0]
    for some in peewee.chunked(others, ROWS_AT_ONCE):
        rows: Any = LogEntry.select(LogEntry.id, LogEntry.text).where(LogEntry.id.in_(list(some)))
        found |= {-entry_id: text.encode() for entry_id, text in rows.tuples()}
    return found


def _bundle(number: int) -> LogBundle | None:
    found: LogBundle | None = LogBundle.get_or_none(LogBundle.number == number)
    return found


def _unpack(packed: bytes) -> list[int]:
    return [reference for (reference,) in struct.iter_unpack(">q", packed[: len(packed) // BYTES * BYTES])]
