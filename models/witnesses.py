"""Checkpoints that witnesses have cosigned, and what each witness said last."""

from collections.abc import Collection
from typing import Any

import peewee
from peewee import SQL, Check, fn

from models.battles import Battle
from models.db.connection import Table, reading, writing
from models.log import LogCheckpoint

DELETED_BACK_TO_MS = 7 * 86_400_000
"""How far back old checkpoints are looked at. What is older is kept for good, and may be much."""


class CosignedCheckpoint(Table):
    """A checkpoint of the public log that at least one witness has cosigned."""

    id = peewee.BigAutoField()
    origin = peewee.CharField(max_length=255)
    size = peewee.BigIntegerField(constraints=[Check("size >= 0")])
    # In hexadecimal.
    root = peewee.CharField(max_length=64)
    first_cosigned_at_ms = peewee.BigIntegerField()
    # When it had the cosignatures of LOG_QUORUM witnesses, by the clock of the server.
    witnessed_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "cosigned_checkpoints"
        indexes = (
            (("origin", "size"), True),
            SQL(
                "CREATE INDEX cosigned_checkpoints_first_cosigned"
                " ON cosigned_checkpoints (first_cosigned_at_ms)"
            ),
        )


class Cosignature(Table):
    """The line of one witness below a checkpoint."""

    checkpoint = peewee.ForeignKeyField(CosignedCheckpoint, on_delete="CASCADE", index=False)
    # Its verifier key.
    witness = peewee.TextField()
    line = peewee.TextField()
    # When it was made, by the clock of the witness.
    cosigned_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "cosignatures"
        primary_key = peewee.CompositeKey("checkpoint", "witness")


class WitnessState(Table):
    """What a witness said last."""

    # Its verifier key.
    witness = peewee.TextField(primary_key=True)
    origin = peewee.CharField(max_length=255)
    # The newest checkpoint that it has cosigned, as far as the log knows.
    size = peewee.BigIntegerField()
    cosigned_at_ms = peewee.BigIntegerField(null=True)
    # How far its clock was ahead of the server's then; negative if it was behind.
    clock_ahead_ms = peewee.BigIntegerField(null=True)
    # Why it gives no cosignature at the moment, and since when.
    problem = peewee.CharField(max_length=200, null=True)
    problem_since_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "witness_states"


@writing()
def store(
    *, origin: str, size: int, root: str, witness: str, line: str, cosigned_at: int, quorum: int, now: int
) -> None:
    """Store the line of a witness below a checkpoint, and when it was made.

    ``root`` is in hexadecimal. ``quorum`` witnesses make it a witnessed checkpoint. Concurrent calls for one
    checkpoint take turns.
    """
    row = CosignedCheckpoint
    row.insert(origin=origin, size=size, root=root, first_cosigned_at_ms=now).on_conflict(
        conflict_target=[row.origin, row.size], preserve=[row.root]
    ).execute()
    stored = row.get(row.origin == origin, row.size == size)
    values = {"checkpoint": stored.id, "witness": witness, "line": line, "cosigned_at_ms": cosigned_at}
    Cosignature.insert(values).on_conflict_ignore().execute()
    count = Cosignature.select(fn.COUNT(Cosignature.witness)).where(Cosignature.checkpoint == stored.id)
    if stored.witnessed_at_ms is None and count.scalar() >= quorum:
        row.update(witnessed_at_ms=now).where(row.id == stored.id).execute()


@reading()
def newest_witnessed(origin: str, *, up_to: int) -> CosignedCheckpoint | None:
    """The largest witnessed checkpoint of this log with at most so many entries."""
    return _first(_witnessed(origin).where(CosignedCheckpoint.size <= up_to), CosignedCheckpoint.size.desc())


@reading()
def first_witnessed_with(origin: str, index: int, *, up_to: int) -> CosignedCheckpoint | None:
    """The smallest stored witnessed checkpoint that has the entry with this index."""
    size = CosignedCheckpoint.size
    return _first(_witnessed(origin).where(size > index, size <= up_to), size)


@reading()
def lines_of(checkpoint: CosignedCheckpoint) -> list[str]:
    """The cosignatures of a checkpoint, the oldest first."""
    lines: Any = Cosignature.select(Cosignature.line).where(Cosignature.checkpoint == checkpoint.id)
    return list(lines.order_by(Cosignature.cosigned_at_ms, Cosignature.witness).scalars())


@reading()
def cosignatures_at(origin: str, size: int) -> list[str]:
    """The cosignatures of the checkpoint of this size, the oldest first."""
    row = CosignedCheckpoint
    found = row.get_or_none(row.origin == origin, row.size == size)
    return lines_of(found) if found else []


@reading()
def unwitnessed_since(size: int) -> int | None:
    """When the first checkpoint with more entries than this was signed, in ms; None without one.

    Checkpoints are known for a day.
    """
    row: Any = LogCheckpoint
    later = row.select(row.signed_at_ms).where(row.size > size).order_by(row.size)
    since: int | None = later.limit(1).scalar()
    return since


@reading()
def states(witnesses: Collection[str]) -> dict[str, WitnessState]:
    """What these witnesses said last, by their keys."""
    return {
        row.witness: row for row in WitnessState.select().where(WitnessState.witness.in_(list(witnesses)))
    }


@writing()
def set_state(witness: str, **values: Any) -> None:
    """Store what a witness said."""
    WitnessState.insert(witness=witness, **values).on_conflict(
        conflict_target=[WitnessState.witness], update=values
    ).execute()


@writing()
def delete_older(before_ms: int) -> int:
    """Delete the checkpoints that were cosigned before then; returns their number.

    The newest witnessed one of each log stays, and the first witnessed one after the lock of each battle: it
    shows to others that the lock came before the beacon.
    """
    row, earlier = CosignedCheckpoint, CosignedCheckpoint.alias("earlier")
    newest = row.select(fn.MAX(row.size)).where(row.witnessed_at_ms.is_null(False)).group_by(row.origin)
    before = earlier.select(fn.MAX(earlier.size)).where(
        earlier.origin == row.origin, earlier.size < row.size, earlier.witnessed_at_ms.is_null(False)
    )
    is_first_after_lock = fn.EXISTS(
        Battle.select(Battle.id).where(
            Battle.lock_index < row.size, Battle.lock_index >= fn.COALESCE(before, 0)
        )
    )
    is_kept = row.witnessed_at_ms.is_null(False) & (row.size.in_(newest) | is_first_after_lock)
    is_old = row.first_cosigned_at_ms.between(before_ms - DELETED_BACK_TO_MS, before_ms - 1)
    return int(row.delete().where(is_old, ~is_kept).execute())


def _witnessed(origin: str) -> Any:
    row = CosignedCheckpoint
    return row.select().where(row.origin == origin, row.witnessed_at_ms.is_null(False))


def _first(query: Any, order: Any) -> CosignedCheckpoint | None:
    found: CosignedCheckpoint | None = query.order_by(order).first()
    return found
