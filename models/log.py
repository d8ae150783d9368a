"""The logs: their trees as tiles, what their entries refer to, and what waits to be appended.

services/log/ appends to them. The entry of a bet is made from the row of the bet whenever it is needed, so
only other entries are stored as texts.
"""

import json
from collections.abc import Collection
from typing import Any, NamedTuple

import peewee
from peewee import Check, fn

from models.db.connection import Table
from models.db.sql import execute

EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The root of a tree without entries: the SHA-256 of nothing, in hexadecimal."""

BETS = "bets"
"""The name of the log."""


class Log(Table):
    """A log. All of its processes append to it, one at a time: an append is guarded by the size."""

    name = peewee.CharField(max_length=16, primary_key=True)
    # Empty until the first start of a server.
    origin = peewee.CharField(max_length=255, default="")
    size = peewee.BigIntegerField(default=0)
    # The last checkpoint that was signed, a note.
    checkpoint = peewee.TextField(default="")
    # An announced seed of an earlier epoch must be redrawn before it is used.
    epoch = peewee.BigIntegerField(default=1)
    # Grows when a machine confirms that this database contains its own last checkpoint.
    confirmations = peewee.BigIntegerField(default=0)
    # The next key that an entry has announced.
    announced_key = peewee.CharField(max_length=400, default="")
    # Of the log of bets, the key of the players' pseudonyms. Without encryption, since it must not be lost
    # with SECRET_KEY, and the commitments in this database already tell which pseudonym is whose.
    player_key = peewee.CharField(max_length=64, null=True)
    # Why no withdrawal is sent since an epoch began, and since when; null when nothing holds them.
    held_reason = peewee.CharField(max_length=100, null=True)
    held_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "logs"


class LogTile(Table):
    """Up to 256 consecutive hashes of one level of the tree."""

    log = peewee.ForeignKeyField(Log, on_delete="RESTRICT", index=False)
    level = peewee.IntegerField()
    number = peewee.BigIntegerField()
    hashes = peewee.BlobField()

    class Meta:
        table_name = "log_tiles"
        primary_key = peewee.CompositeKey("log", "level", "number")


class LogBundle(Table):
    """What up to 256 consecutive entries are made from, eight bytes each: see ``Reference``."""

    log = peewee.ForeignKeyField(Log, on_delete="RESTRICT", index=False)
    number = peewee.BigIntegerField()
    references = peewee.BlobField(column_name="entry_references")
    # The highest id in this bundle and all before it, and the lowest one in this bundle.
    highest_id = peewee.BigIntegerField()
    lowest_id = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "log_bundles"
        primary_key = peewee.CompositeKey("log", "number")


# The bundle of a bet.
LogBundle.add_index(
    LogBundle.index(LogBundle.log, LogBundle.highest_id, LogBundle.number, name="log_bundles_by_id")
)


class LogEntry(Table):
    """An entry that is not made from another row."""

    id = peewee.BigAutoField()
    log = peewee.ForeignKeyField(Log, on_delete="RESTRICT", index=False)
    # Canonical JSON.
    text = peewee.TextField()

    class Meta:
        table_name = "log_entries"


class WaitingBet(Table):
    """A bet that is not in the log yet. The row is written with the bet."""

    # Without a foreign key, which would cost each bet a look-up.
    bet_id = peewee.BigIntegerField(primary_key=True)

    class Meta:
        table_name = "log_waiting_bets"


class WaitingEntry(Table):
    """An entry of ``log_entries`` that is not in its log yet."""

    entry = peewee.ForeignKeyField(LogEntry, primary_key=True, on_delete="RESTRICT")

    class Meta:
        table_name = "log_waiting_entries"


class LogCheckpoint(Table):
    """Size and root of a checkpoint of the last day, and of the newest one."""

    log = peewee.ForeignKeyField(Log, on_delete="RESTRICT", index=False)
    size = peewee.BigIntegerField(constraints=[Check("size >= 0")])
    # In hexadecimal.
    root = peewee.CharField(max_length=64)
    # With an index, by which old ones are removed.
    signed_at_ms = peewee.BigIntegerField(index=True)

    class Meta:
        table_name = "log_checkpoints"
        primary_key = peewee.CompositeKey("log", "size")


class SignedTree(NamedTuple):
    """What a checkpoint says of a tree; the root in hexadecimal."""

    size: int
    root: str


def current_epoch() -> Any:
    """A subquery: the present epoch of redraws."""
    return Log.select(Log.epoch).where(Log.name == BETS)


def contains(log: str, tree: SignedTree) -> Any:
    """A condition: the log with this name has had this checkpoint, in this database."""
    row = LogCheckpoint
    is_same = (row.log == log) & (row.size == tree.size) & (row.root == tree.root)
    return fn.EXISTS(row.select(row.size).where(is_same))


SIZE_WITH = """
SELECT size FROM logs WHERE name = 'bets' AND EXISTS (
    SELECT 1 FROM log_checkpoints WHERE log_id = 'bets' AND size = :known_size AND root = :known_root
) AND NOT EXISTS (
    SELECT 1 FROM {pairs}(:bets) AS bet
    JOIN log_waiting_bets ON log_waiting_bets.bet_id = CAST(bet.key AS BIGINT)
)
"""


def size_with(bet_ids: Collection[int], *, known: SignedTree) -> int | None:
    """A size of the log of bets with which it contains all of these bets.

    None while one of them waits, and if the database does not contain the known checkpoint.

    To be used within ``reading()``.
    """
    bets = json.dumps(dict.fromkeys(bet_ids, ""))
    row = execute(SIZE_WITH, {"bets": bets, "known_size": known.size, "known_root": known.root}).fetchone()
    return None if row is None else int(row[0])
