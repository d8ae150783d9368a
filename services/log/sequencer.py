"""Appends what waits to the log, in batches, and signs the tree.

Any process may do it, and one does it at a time: an append locks the row of the log. Indexes have no gaps,
and an entry is appended once, because the transaction that appends it deletes it from what waits.
"""

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Protocol

import peewee

from models import battle_locks
from models.audit_trail import anchor_waiting_events
from models.db.connection import reading, writing
from models.db.sql import execute
from models.log import Log, LogCheckpoint, LogEntry, WaitingBet, WaitingEntry, lock_log
from services.log import bundles, entries, tree
from services.log.bundles import Entry, NotStored
from services.log.entries import Pseudonyms
from services.log.notes import BadNote, Checkpoint, LogKeys
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Failure, Unavailable

BATCH = 5_000
"""Entries in one transaction."""

DELETE_WAITING = """
DELETE FROM log_waiting_bets WHERE bet_id IN (SELECT CAST(key AS BIGINT) FROM {pairs}(:bets) AS these)
"""


class LogMissing(Failure):
    """The row of the log is gone. Migrations make it, and nothing deletes it."""


class Superseded(Unavailable):
    """The log has changed since it was read, or is not the one that was signed."""


class BetTotals(Protocol):
    """Totals that change when bets are appended."""

    def prepare(self, snapshot_ids: Collection[int], /) -> None:
        """Read what ``add`` will need about bets with these snapshots."""

    def add(self, bet_ids: Collection[int], /) -> None:
        """Add these bets. To be used within ``writing()``."""


class Sequencer:
    """Appends to the log."""

    def __init__(self, keys: LogKeys, pseudonyms: Pseudonyms, totals: BetTotals) -> None:
        """``totals`` gets the bets that are appended."""
        self.keys = keys
        self.pseudonyms = pseudonyms
        self.totals = totals

    def append(
        self,
        log: Log,
        root: bytes,
        waiting: Sequence[Entry],
        *,
        now: Millis,
        first: Sequence[bytes] = (),
        last: Sequence[bytes] = (),
        **changes: Any,
    ) -> str:
        """Append to the log as it was read, and sign the tree; returns the signed checkpoint.

        ``root`` is that of the tree that the log must have. ``first`` and ``last`` are the contents of
        entries around those that wait. ``changes`` are made to the row of the log. What the audit trail has
        to anchor is appended as well. Without anything to append or to change, returns the present
        checkpoint. Raises Superseded or NotStored, and nothing is changed.
        """
        with writing():
            locked = lock_log(for_append=True)
            if _state(locked) != _state(log):
                raise Superseded
            if anchor := anchor_waiting_events(now=now):
                last = [*last, entries.audit(at=now, digest=anchor[0], events=anchor[1])]
            if not (first or waiting or last or changes):
                return log.checkpoint
            # What is signed follows from the tiles whose root is compared, whatever happens to stored ones.
            read = cache(bundles.read_tile)
            if root_at(log.size, read) != root:
                raise Superseded
            added = [*map(bundles.store_entry, first), *waiting, *map(bundles.store_entry, last)]
            tiles = tree.append(log.size, [tree.leaf_hash(entry.content) for entry in added], read)
            size = log.size + len(added)
            new_root = tree.root(size, lambda position: tiles.get(position) or read(position))
            checkpoint = Checkpoint(changes.get("origin", log.origin), size, new_root)
            note = self.keys.sign_checkpoint(checkpoint)
            if not Log.update(size=size, checkpoint=note, **changes).execute():
                raise NotStored
            if added:
                bundles.store_tiles(tiles)
                bundles.store_references(log.size, [entry.reference for entry in added])
            row = LogCheckpoint
            # The last one stays: other machines have it in their files until they follow.
            is_old = row.signed_at_ms < now - DAY_MS
            row.delete().where(is_old, row.size > 0, row.size != log.size).execute()
            row.insert(size=size, root=new_root.hex(), signed_at_ms=now).on_conflict(
                conflict_target=[row.size], preserve=[row.root, row.signed_at_ms]
            ).execute()
            self._remove(waiting)
            others = {-entry.reference: index for index, entry in enumerate(waiting, log.size + len(first))}
            battle_locks.set_indexes({entry_id: index for entry_id, index in others.items() if entry_id > 0})
        return note

    def waiting(self, at_most: int | None) -> list[Entry]:
        """The first entries that wait: bets in the order of their ids, and then the others.

        A seed is redrawn after the player's last bet was settled, and the entry of that bet must come first.
        So the others are read first, and are appended when all bets are that were settled before.
        """
        query: Any = (
            LogEntry.select(LogEntry.id, LogEntry.text)
            .join(WaitingEntry, on=(WaitingEntry.entry == LogEntry.id))
            .order_by(LogEntry.id)
            .limit(at_most)
        )
        # Somebody who can write to the database must not let the server sign anything else.
        others = [
            Entry(-entry_id, text.encode())
            for entry_id, text in query.tuples()
            if entries.may_be_signed(text)
        ]
        ids = list(WaitingBet.select(WaitingBet.bet_id).order_by(WaitingBet.bet_id).limit(at_most).scalars())
        bets = list(bundles.bet_entries(ids, self.pseudonyms))
        self.totals.prepare({bet.snapshot_id for bet in bets if bet.snapshot_id is not None})
        return bets if len(ids) == at_most else [*bets, *others][:at_most]

    def has_signed(self, log: Log) -> bool:
        """Whether the keys have signed the tree that the database has. To be used within ``reading()``."""
        try:
            checkpoint = self.keys.open_checkpoint(log.checkpoint)
        except BadNote:
            return False
        return checkpoint == Checkpoint(log.origin, log.size, root_at(log.size))

    def _remove(self, appended: Sequence[Entry]) -> None:
        """Remove from what waits, and add the bets to the totals."""
        bets = [entry.reference for entry in appended if entry.reference > 0]
        others = [-entry.reference for entry in appended if entry.reference < 0]
        execute(DELETE_WAITING, {"bets": json.dumps(dict.fromkeys(bets, ""))})
        self.totals.add(bets)
        for some in peewee.chunked(others, bundles.ROWS_AT_ONCE):
            WaitingEntry.delete().where(WaitingEntry.entry.in_(list(some))).execute()


@reading()
def stored_log() -> Log:
    """The row of the log. Raises LogMissing."""
    log: Log | None = Log.get_or_none()
    if log is None:
        raise LogMissing("the table log has no row")
    return log


@reading()
def is_waiting() -> bool:
    """Whether the entry of a bet or another one waits."""
    return bool(WaitingBet.select().exists()) or is_entry_waiting()


@reading()
def is_entry_waiting() -> bool:
    """Whether an entry waits that is not about a bet."""
    return bool(WaitingEntry.select().exists())


def _state(log: Log) -> tuple[str, int, bool]:
    return log.checkpoint, log.epoch, log.is_paused


def root_at(size: int, read: tree.ReadTile = bundles.read_tile) -> bytes:
    """The root of the tree when it had this size; empty if tiles are missing. Within ``reading()``."""
    try:
        return tree.root(size, read)
    except ValueError:
        return b""


def has_tree(log: Log, checkpoint: Checkpoint) -> bool:
    """Whether the first entries of the log make this tree."""
    return checkpoint.size <= log.size and root_at(checkpoint.size) == checkpoint.root


def succeeds(log: Log, origin: str) -> bool:
    """Whether the log began as a successor of the log with this origin, by an entry in its tree."""
    forks: Any = LogEntry.select(LogEntry.text).where(LogEntry.text.contains('"forkOf"'))
    return any(_is_first_of_successor(text, log.size, origin) for text in forks.scalars())


def _is_first_of_successor(text: str, size: int, origin: str) -> bool:
    with suppress(ValueError, KeyError, TypeError):
        content = json.loads(text)
        if content["forkOf"] == origin:
            # It comes after the entries that were kept.
            position = tree.TilePosition(0, content["kept"] // tree.TILE_WIDTH)
            offset = content["kept"] % tree.TILE_WIDTH * tree.HASH_SIZE
            is_stored = tree.has_tile(position, size, root_at(size), bundles.read_tile)
            hashes = bundles.read_tile(position)[offset : offset + tree.HASH_SIZE]
            return content["kept"] < size and is_stored and hashes == tree.leaf_hash(text.encode())
    return False
