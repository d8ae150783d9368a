"""Appends entries to the log, in batches, and signs the tree.

Any process may do it, and one does it at a time: an append is guarded by the size of the tree that it was
computed for. Indexes have no gaps, and an entry is appended once, because the transaction that appends it
deletes it from what waits.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import peewee

from models.db.connection import database, reading, writing
from models.log import (
    BETS,
    Log,
    LogCheckpoint,
    LogEntry,
    SignedTree,
    WaitingBet,
    WaitingEntry,
    contains,
)
from services.log import bundles, entries, stored_tiles, tree
from services.log.checkpoints import Checkpoint
from services.log.keys import LogKeys
from services.log.merkle import leaf_hash
from services.log.pseudonyms import Pseudonyms
from services.shared.clock import DAY_MS, Millis

BATCH = 5_000
"""Entries in one transaction."""

ROWS_AT_ONCE = 500
"""In one statement: SQLite has a limit of its parameters."""


class Superseded(Exception):
    """The log has changed since it was read, or the database does not contain the known checkpoint."""


class Entry(NamedTuple):
    """An entry to append, and what it is made from: the id of a bet, or that of another entry below 0."""

    reference: int
    content: bytes


@reading()
def stored_log() -> Log:
    """The row of the log of bets."""
    log: Log = Log.get_by_id(BETS)
    return log


@reading()
def is_waiting() -> bool:
    """Whether anything waits to be appended."""
    return bool(WaitingBet.select().exists()) or is_commitment_waiting()


@reading()
def is_commitment_waiting() -> bool:
    """Whether the entry of a commitment waits."""
    return bool(WaitingEntry.select().exists())


def lock_epoch() -> int:
    """The present epoch, which does not change until the caller's transaction ends."""
    query: Any = Log.select(Log.epoch).where(Log.name == BETS)
    return int((query.for_update("FOR SHARE") if database.for_update else query).scalar())


def add(content: bytes) -> None:
    """Let the entry of a commitment wait. To be used within ``writing()``, after ``lock_epoch``."""
    WaitingEntry.insert(entry=_store(content)).execute()


@reading()
def waiting(pseudonyms: Pseudonyms, *, at_most: int | None = BATCH) -> list[Entry]:
    """The first entries that wait: bets in the order of their ids, and then commitments.

    A seed is redrawn after the player's last bet was settled, and the entry of that bet must come first. So
    commitments are read first, and are appended when all bets are that were settled before.
    """
    query: Any = (
        LogEntry.select(LogEntry.id, LogEntry.text)
        .join(WaitingEntry, on=(WaitingEntry.entry == LogEntry.id))
        .order_by(LogEntry.id)
        .limit(at_most)
    )
    # Somebody who can write to the database must not let the server sign anything else.
    commitments = [
        Entry(-entry_id, text.encode()) for entry_id, text in query.tuples() if entries.is_commitment(text)
    ]
    ids = list(WaitingBet.select(WaitingBet.bet_id).order_by(WaitingBet.bet_id).limit(at_most).scalars())
    bets = [Entry(bet_id, content) for bet_id, content in bundles.entries_of_bets(ids, pseudonyms).items()]
    return bets if len(ids) == at_most else [*bets, *commitments][:at_most]


def append(
    log: Log,
    added: Sequence[Entry | bytes],
    keys: LogKeys,
    *,
    known: SignedTree,
    now: Millis,
    changes: Mapping[str, Any],
) -> str:
    """Append to the log as it was read, and sign the tree; returns the signed checkpoint.

    ``added`` are entries that wait, and the contents of others. ``changes`` are made to the row of the log.
    Raises Superseded, and nothing is changed.
    """
    leaves = [leaf_hash(each if isinstance(each, bytes) else each.content) for each in added]
    tiles = tree.append(log.size, leaves, stored_tiles.read)
    size = log.size + len(added)
    root = tree.root(size, lambda position: tiles.get(position) or stored_tiles.read(position))
    note = keys.sign_checkpoint(Checkpoint(changes.get("origin", log.origin), size, root))
    with writing():
        is_unchanged = (Log.name == BETS) & (Log.checkpoint == log.checkpoint) & (Log.epoch == log.epoch)
        update = Log.update(size=size, checkpoint=note, **changes)
        if not update.where(is_unchanged, contains(known)).execute():
            raise Superseded
        if added:
            stored_tiles.store(tiles)
            waited = [each for each in added if isinstance(each, Entry)]
            bundles.extend(
                log.size,
                [each.reference if isinstance(each, Entry) else -_store(each) for each in added],
            )
            store_checkpoint(SignedTree(size, root.hex()), now=now)
            _remove_waiting(waited)
    return note


def root_at(size: int) -> str:
    """The root of the tree when it had this size, in hexadecimal; empty if tiles are missing.

    To be used within ``reading()``.
    """
    try:
        return tree.root(size, stored_tiles.read).hex()
    except ValueError:
        return ""


def contains_tree(signed: SignedTree, *, now: Millis) -> bool:
    """Whether the log of this database begins with this tree. If so, its row in ``log_checkpoints`` exists.

    To be used within ``reading()``, and not within a transaction.
    """
    if signed.size > stored_log().size or root_at(signed.size) != signed.root:
        return False
    if not LogCheckpoint.select(contains(signed)).limit(1).scalar():
        # It was removed because it is old.
        with writing():
            store_checkpoint(signed, now=now)
    return True


def store_checkpoint(signed: SignedTree, *, now: Millis) -> None:
    """Add a checkpoint, and remove those that are older than a day. To be used within ``writing()``."""
    row = LogCheckpoint
    row.delete().where(row.signed_at_ms < now - DAY_MS, row.log == BETS, row.size > 0).execute()
    row.insert(log=BETS, **signed._asdict(), signed_at_ms=now).on_conflict(
        conflict_target=[row.log, row.size], preserve=[row.root, row.signed_at_ms]
    ).execute()


def _store(content: bytes) -> int:
    """Write an entry that is not made from a bet; returns its id."""
    return int(LogEntry.create(log=BETS, text=content.decode()).id)


def _remove_waiting(appended: Sequence[Entry]) -> None:
    for some in peewee.chunked(appended, ROWS_AT_ONCE):
        references = [entry.reference for entry in some]
        bets = [reference for reference in references if reference > 0]
        others = [-reference for reference in references if reference < 0]
        WaitingBet.delete().where(WaitingBet.bet_id.in_(bets)).execute()
        WaitingEntry.delete().where(WaitingEntry.entry.in_(others)).execute()
