"""What each entry of the log is made from, in bundles of 256 like the entries that are served.

An entry is referred to by the id of its bet, or below 0 by that of its row in ``log_entries``.
"""

import struct
from collections.abc import Collection, Sequence
from typing import Any

import peewee

from models.bets import Bet
from models.db.connection import reading
from models.log import BETS, LogBundle, LogEntry, WaitingBet
from models.snapshots import Snapshot
from models.users import User
from services.log import entries
from services.log.entries import LoggedBet
from services.log.pseudonyms import Pseudonyms
from services.log.tiles import TILE_WIDTH

BYTES = 8
"""Of one reference."""

BET_COLUMNS = [Snapshot.hash if name == "snapshot" else getattr(Bet, name) for name in LoggedBet._fields]

BUNDLES_AT_ONCE = 4

BETS_AT_ONCE = 500
"""In one query: SQLite has a limit of its parameters."""


def extend(size: int, references: Sequence[int]) -> None:
    """Add the references of entries that are appended to a log of this size. Within ``writing()``."""
    number, kept = divmod(size, TILE_WIDTH)
    last = _bundle(number) if kept else _bundle(number - 1)
    before = _unpack(last.references)[:kept] if last and kept else []
    highest = last.highest_bet_id if last else 0
    rows: list[dict[str, Any]] = []
    for some in peewee.chunked([*before, *references], TILE_WIDTH):
        bets = [reference for reference in some if reference > 0]
        highest = max([highest, *bets])
        rows.append(
            {
                "log": BETS,
                "number": number + len(rows),
                "references": struct.pack(f">{len(some)}q", *some),
                "highest_bet_id": highest,
                "lowest_bet_id": min(bets, default=None),
            }
        )
    row = LogBundle
    row.insert_many(rows).on_conflict(
        conflict_target=[row.log, row.number],
        preserve=[row.references, row.highest_bet_id, row.lowest_bet_id],
    ).execute()


@reading()
def references(number: int) -> list[int]:
    """The references of a bundle, as far as they are stored; none for a bundle past the end."""
    found = _bundle(number)
    return _unpack(found.references) if found else []


@reading()
def index_of_bet(bet_id: int) -> int | None:
    """The index of a bet's entry; None if it is not in the log."""
    if WaitingBet.select().where(WaitingBet.bet_id == bet_id).exists():
        return None
    row = LogBundle
    # Bets are appended nearly in the order of their ids: in this bundle, or a few after it.
    may_have = (row.log == BETS) & (row.highest_bet_id >= bet_id) & (row.lowest_bet_id <= bet_id)
    query = row.select().where(may_have).order_by(row.highest_bet_id, row.number)
    page = 1
    while found := list(query.paginate(page, BUNDLES_AT_ONCE)):
        for bundle in found:
            references = _unpack(bundle.references)
            if bet_id in references:
                return int(bundle.number * TILE_WIDTH + references.index(bet_id))
        page += 1
    return None


def contents(wanted: Sequence[int], pseudonyms: Pseudonyms) -> list[bytes]:
    """The entries with these references, in their order. Raises KeyError for one whose row is missing."""
    found = existing_contents(wanted, pseudonyms)
    return [found[each] for each in wanted]


@reading()
def existing_contents(wanted: Sequence[int], pseudonyms: Pseudonyms) -> dict[int, bytes]:
    """The entries with these references, by reference, without those whose row is missing."""
    found = entries_of_bets([each for each in wanted if each > 0], pseudonyms)
    others = [-each for each in wanted if each < 0]
    for some in peewee.chunked(others, BETS_AT_ONCE):
        rows: Any = LogEntry.select(LogEntry.id, LogEntry.text).where(LogEntry.id.in_(list(some)))
        found |= {-entry_id: text.encode() for entry_id, text in rows.tuples()}
    return found


def entries_of_bets(bet_ids: Collection[int], pseudonyms: Pseudonyms) -> dict[int, bytes]:
    """The entries of these bets by their ids, in the order of the ids. To be used within ``reading()``."""
    found: dict[int, bytes] = {}
    for some in peewee.chunked(sorted(bet_ids), BETS_AT_ONCE):
        query: Any = (
            Bet.select(Bet.id, User.platform_id, *BET_COLUMNS)
            .join(User)
            .switch(Bet)
            .join(Snapshot, peewee.JOIN.LEFT_OUTER)
            .where(Bet.id.in_(list(some)))
            .order_by(Bet.id)
        )
        for bet_id, platform_id, *columns in query.tuples():
            found[bet_id] = entries.bet(LoggedBet._make(columns), player=pseudonyms.of(platform_id))
    return found


def _bundle(number: int) -> LogBundle | None:
    found: LogBundle | None = LogBundle.get_or_none(LogBundle.log == BETS, LogBundle.number == number)
    return found


def _unpack(packed: bytes) -> list[int]:
    return list(struct.unpack(f">{len(packed) // BYTES}q", bytes(packed)))
