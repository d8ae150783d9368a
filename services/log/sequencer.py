"""Appends entries to a log, in batches, and signs the tree.

Any process may do it, and one does it at a time: an append is guarded by the size of the tree that it was
computed for. Indexes have no gaps, and an entry is appended once, because the transaction that appends it
deletes it from what waits.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from models.db.connection import reading, writing
from models.log import Log, LogCheckpoint, LogEntry, SignedTree, contains
from services.log import bundles, stored_tiles, tree
from services.log.bundles import Entry, Source
from services.log.checkpoints import Checkpoint
from services.log.keys import LogKeys
from services.log.merkle import leaf_hash, root_from_proof
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Failure

BATCH = 5_000
"""Entries in one transaction."""


class LogMissing(Failure):
    """The row of a log is gone. Migrations make it, and nothing deletes it."""


class Superseded(Exception):
    """The log has changed since it was read, or the database does not contain the known checkpoint."""


@reading()
def stored_log(name: str) -> Log:
    """The row of the log with this name. Raises LogMissing."""
    log: Log | None = Log.get_or_none(Log.name == name)
    if log is None:
        raise LogMissing(f"the table logs has no row {name!r}")
    return log


def append(
    log: Log,
    source: Source,
    added: Sequence[Entry | bytes],
    keys: LogKeys,
    *,
    known: SignedTree,
    now: Millis,
    changes: Mapping[str, Any],
) -> str:
    """Append to the log as it was read, and sign the tree; returns the signed checkpoint.

    ``added`` are entries that wait, and the contents of others. ``known`` is the tree that it must have now.
    ``changes`` are made to the row of the log. Raises Superseded, and nothing is changed.
    """
    leaves = [leaf_hash(each if isinstance(each, bytes) else each.content) for each in added]
    # What is signed follows from the tiles whose root was compared, whatever happens to the stored ones.
    read = cache(stored_tiles.reader(log.name))
    if log.size != known.size or _root(log.size, read) != known.root:
        raise Superseded
    tiles = tree.append(log.size, leaves, read)
    size = log.size + len(added)
    root = tree.root(size, lambda position: tiles.get(position) or read(position))
    note = keys.sign_checkpoint(Checkpoint(changes.get("origin", log.origin), size, root))
    with writing():
        is_unchanged = (Log.name == log.name) & (Log.checkpoint == log.checkpoint) & (Log.epoch == log.epoch)
        update = Log.update(size=size, checkpoint=note, **changes)
        if not update.where(is_unchanged, contains(log.name, known)).execute():
            raise Superseded
        if added:
            stored_tiles.store(log.name, tiles)
            waited = [each for each in added if isinstance(each, Entry)]
            stored = [each if isinstance(each, Entry) else _store(log.name, each) for each in added]
            bundles.extend(log.name, log.size, [each.reference for each in stored])
            store_checkpoint(log.name, SignedTree(size, root.hex()), now=now)
            source.remove([each.reference for each in waited])
    return note


def root_at(log: str, size: int) -> str:
    """The root of the tree when it had this size, in hexadecimal; empty if tiles are missing.

    To be used within ``reading()``.
    """
    return _root(size, stored_tiles.reader(log))


def _root(size: int, read: tree.ReadTile) -> str:
    try:
        return tree.root(size, read).hex()
    except ValueError:
        return ""


def contains_tree(log: str, signed: SignedTree, *, now: Millis) -> bool:
    """Whether the log of this database begins with this tree. If so, its row in ``log_checkpoints`` exists.

    To be used within ``reading()``, and not within a transaction.
    """
    if signed.size > stored_log(log).size or root_at(log, signed.size) != signed.root:
        return False
    if not LogCheckpoint.select(contains(log, signed)).limit(1).scalar():
        # It was removed because it is old.
        with writing():
            store_checkpoint(log, signed, now=now)
    return True


def is_fork_of(log: str, origin: str, signed: SignedTree) -> bool:
    """Whether the log that has this tree began as a successor of the log with this origin.

    To be used within ``reading()``.
    """
    forks: Any = LogEntry.select(LogEntry.text).where(LogEntry.log == log, LogEntry.text.contains('"forkOf"'))
    return any(_is_fork(log, text, origin, signed) for text in forks.scalars())


def _is_fork(log: str, text: str, origin: str, signed: SignedTree) -> bool:
    """Whether this is the first entry of a successor, and in the tree."""
    with suppress(ValueError, KeyError, TypeError):
        content = json.loads(text)
        if content["forkOf"] == origin:
            # It comes after the entries that were kept.
            index = content["kept"]
            proof = tree.inclusion_proof(index, signed.size, stored_tiles.reader(log))
            leaf = leaf_hash(text.encode())
            return root_from_proof(index, signed.size, leaf, proof).hex() == signed.root
    return False


def store_checkpoint(log: str, signed: SignedTree, *, now: Millis) -> None:
    """Add a checkpoint, and remove those that are older than a day. To be used within ``writing()``."""
    row = LogCheckpoint
    row.delete().where(row.signed_at_ms < now - DAY_MS, row.log == log, row.size > 0).execute()
    row.insert(log=log, **signed._asdict(), signed_at_ms=now).on_conflict(
        conflict_target=[row.log, row.size], preserve=[row.root, row.signed_at_ms]
    ).execute()


def _store(log: str, content: bytes) -> Entry:
    """Write an entry that is not made from a row."""
    return Entry(-int(LogEntry.create(log=log, text=content.decode()).id), content)
