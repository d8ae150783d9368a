"""The public log: its tree as tiles, what its entries refer to, and what waits to be appended.

services/log/ appends to it. The entry of a bet is made from the row of the bet whenever it is needed, so only
other entries are stored as texts.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any

import peewee
from peewee import Check, fn

from models.db.connection import Table, database, reading
from models.db.sql import execute, insert_rows


class Log(Table):
    """The log, in one row. Every process may append to it, one at a time: an append locks the row."""

    id = peewee.IntegerField(primary_key=True, constraints=[Check("id = 1")])
    # Empty until the first start of a server.
    origin = peewee.CharField(max_length=255, default="")
    size = peewee.BigIntegerField(default=0)
    # The last checkpoint that was signed, a note.
    checkpoint = peewee.TextField(default="")
    # An announced seed of an earlier epoch must be redrawn before it is used.
    epoch = peewee.BigIntegerField(default=1)
    # Grows when a machine confirms that this database contains the checkpoint of its file.
    confirmations = peewee.BigIntegerField(default=0)
    # The next key that an entry has announced.
    announced_key = peewee.CharField(max_length=400, default="")
    # The key of the players' pseudonyms. Without encryption, since it must not be lost with SECRET_KEY, and
    # the commitments in this database already tell which pseudonym is whose.
    player_key = peewee.CharField(max_length=64)
    # Why no withdrawal is sent since a restore, and since when; null when nothing holds them.
    held_reason = peewee.CharField(max_length=100, null=True)
    held_at_ms = peewee.BigIntegerField(null=True)
    # For the same reason no bet is settled, until an operator decides.
    is_paused = peewee.BooleanField(default=False)

    class Meta:
        table_name = "log"


class LogTile(Table):
    """Up to 256 consecutive hashes of one level of the tree."""

    level = peewee.IntegerField()
    number = peewee.BigIntegerField()
    hashes = peewee.BlobField()

    class Meta:
        table_name = "log_tiles"
        primary_key = peewee.CompositeKey("level", "number")


class LogBundle(Table):
    """What up to 256 consecutive entries are made from, eight bytes each: see services/log/bundles.py."""

    number = peewee.BigIntegerField(primary_key=True)
    references = peewee.BlobField(column_name="entry_references")
    # The highest id of a bet in this bundle and all before it, and the lowest one in this bundle.
    highest_id = peewee.BigIntegerField()
    lowest_id = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "log_bundles"


# The bundle of a bet.
LogBundle.add_index(LogBundle.index(LogBundle.highest_id, LogBundle.number, name="log_bundles_by_id"))


class LogEntry(Table):
    """An entry that is not made from a bet."""

    id = peewee.BigAutoField()
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
    """An entry of ``log_entries`` that is not in the log yet."""

    entry = peewee.ForeignKeyField(LogEntry, primary_key=True, on_delete="RESTRICT")

    class Meta:
        table_name = "log_waiting_entries"


class LogCheckpoint(Table):
    """Size and root of a checkpoint of the last day, and of the newest one."""

    size = peewee.BigIntegerField(primary_key=True, constraints=[Check("size >= 0")])
    # In hexadecimal.
    root = peewee.CharField(max_length=64)
    # With an index, by which old ones are removed.
    signed_at_ms = peewee.BigIntegerField(index=True)

    class Meta:
        table_name = "log_checkpoints"


def current_epoch() -> Any:
    """A subquery: the present epoch of redraws; null while bets are paused."""
    return Log.select(Log.epoch).where(~Log.is_paused)


def lock_log(*, for_append: bool = False) -> Log:
    """The row of the log, whose epoch does not change until the caller's transaction ends.

    ``for_append`` makes other appends wait as well.
    """
    query: Any = Log.select()
    if database.for_update:
        query = query.for_update("FOR UPDATE" if for_append else "FOR SHARE")
    return query.get()  # type: ignore[no-any-return]  # peewee carries no types


def let_wait(text: str) -> int:
    """Let an entry wait for the log; returns its id. To be used within ``writing()``, after ``lock_log``."""
    (entry_id,) = let_all_wait([text])
    return entry_id


def let_all_wait(texts: Iterable[str]) -> list[int]:
    """Let entries wait for the log, as ``let_wait`` does; returns their ids."""
    ids = insert_rows(LogEntry, ("text",), [(text,) for text in texts], then="RETURNING id").fetchall()
    insert_rows(WaitingEntry, ("entry_id",), ids)
    return [entry_id for (entry_id,) in ids]


def contains(size: int, root: str) -> Any:
    """A condition: the log of this database has had a checkpoint with this size and root (hexadecimal)."""
    row = LogCheckpoint
    return fn.EXISTS(row.select(row.size).where(row.size == size, row.root == root))


@reading()
def last_signed_at() -> int | None:
    """When the last checkpoint was signed, in ms; None before the first start of a server."""
    return LogCheckpoint.select(fn.MAX(LogCheckpoint.signed_at_ms)).scalar() or None


SIZE_WITH = """
SELECT size FROM log WHERE EXISTS (
    SELECT 1 FROM log_checkpoints WHERE size = :known_size AND root = :known_root
) AND NOT EXISTS (
    SELECT 1 FROM {pairs}(:bets) AS bet
    JOIN log_waiting_bets ON log_waiting_bets.bet_id = CAST(bet.key AS BIGINT)
)
"""


def size_with(bet_ids: Collection[int], *, size: int, root: str) -> int | None:
    """A size of the log with which it contains all of these bets.

    None while one of them waits, and if the database does not contain the checkpoint with this size and root.

    To be used within ``reading()``.
    """
    bets = json.dumps(dict.fromkeys(bet_ids, ""))
    row = execute(SIZE_WITH, {"bets": bets, "known_size": size, "known_root": root}).fetchone()
    return None if row is None else int(row[0])
