"""Announced server seeds, which may be used only in the database that was used last.

Each machine keeps the last signed checkpoint of the log outside of the database. A database without it was
restored, or is another one: its announced seeds may have been revealed.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import peewee
from peewee import Check

from models.db.connection import Table
from models.db.sql import execute
from models.log import contains, current_epoch
from models.users import User


class AnnouncedSeed(Table):
    """The server seed of a player's next bet. Its commitment is public, the seed is encrypted.

    A bet replaces it with an update guarded by the nonce. When two bets have the same nonce, in any
    process, one of them updates no row and changes nothing.
    """

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    nonce = peewee.BigIntegerField(constraints=[Check("nonce >= 1")])
    # Not unique, so that PostgreSQL writes no index when a bet replaces the row. ``bets`` refuses a seed that
    # was used before.
    server_seed_commitment = peewee.CharField(max_length=64)
    encrypted_server_seed = peewee.TextField()
    # If this is earlier than the epoch of the log (models/log.py), the seed must be redrawn.
    epoch = peewee.BigIntegerField()
    # Whether a signed checkpoint has the commitment, or a bet announced it. Only then a bet uses the seed.
    is_logged = peewee.BooleanField()

    class Meta:
        table_name = "announced_seeds"


class FoundSeed(NamedTuple):
    """A player's announced seed, and whether it may be used."""

    nonce: int
    commitment: str
    encrypted: str
    is_logged: bool
    epoch: int | None
    """The present one; None while bets are paused."""
    is_current: bool
    """Whether it was drawn in the present epoch."""
    has_checkpoint: bool
    """Whether the database contains the checkpoint with this size and root."""


def find_seed(user_id: int, *, size: int, root: str) -> FoundSeed | None:
    """The player's announced seed. To be used within ``reading()``."""
    row = AnnouncedSeed
    # In one statement, so that the checkpoints are those of the database that the seed was read from.
    found = (
        row.select(
            row.nonce,
            row.server_seed_commitment,
            row.encrypted_server_seed,
            row.is_logged,
            current_epoch(),
            row.epoch == current_epoch(),
            contains(size, root),
        )
        .where(row.user == user_id)
        .tuples()
        .first()
    )
    return None if found is None else FoundSeed(*found)


FIRST = """
INSERT INTO announced_seeds
    (user_id, nonce, server_seed_commitment, encrypted_server_seed, is_logged, epoch)
SELECT CAST(value ->> 0 AS BIGINT), 1, value ->> 1, value ->> 2, FALSE, epoch
FROM {rows}(:seeds) AS seed CROSS JOIN log WHERE TRUE
ON CONFLICT (user_id) DO NOTHING RETURNING user_id
"""


def insert_first(seeds: Iterable[tuple[int, str, str]]) -> set[int]:
    """Announce seeds of first bets: the id of each player, with the commitment and the encrypted seed.

    Returns the players who had no announced seed. To be used within ``writing()``.
    """
    announced = execute(FIRST, {"seeds": json.dumps(list(seeds))}).fetchall()
    return {user_id for (user_id,) in announced}


def redraw_seed(user_id: int, old: FoundSeed, *, commitment: str, encrypted: str) -> bool:
    """Replace this seed by a new one with the same nonce.

    False when a bet, another process or a new epoch came first. To be used within ``writing()``.
    """
    return _update(
        user_id,
        old,
        current_epoch() == old.epoch,
        server_seed_commitment=commitment,
        encrypted_server_seed=encrypted,
        epoch=old.epoch,
        is_logged=False,
    )


def mark_logged(user_id: int, seed: FoundSeed) -> None:
    """Note that the commitment of this seed is in a signed checkpoint. To be used within ``writing()``."""
    _update(user_id, seed, is_logged=True)


def _update(user_id: int, seed: FoundSeed, *conditions: Any, **values: Any) -> bool:
    row = AnnouncedSeed
    changed = (
        row.update(**values)
        .where(
            row.user == user_id,
            row.nonce == seed.nonce,
            row.server_seed_commitment == seed.commitment,
            *conditions,
        )
        .execute()
    )
    return bool(changed)


PLAYED = """
SELECT EXISTS (
    SELECT 1 FROM {pairs}(:played) AS played
    JOIN announced_seeds ON announced_seeds.user_id = CAST(played.key AS BIGINT)
    WHERE announced_seeds.nonce <= CAST(played.value AS BIGINT)
)
"""


def announces_any(played: Mapping[int, int]) -> bool:
    """Whether the announced seed of any of these players has a nonce that is not above the one given.

    To be used within ``reading()``.
    """
    if not played:
        return False
    return bool(execute(PLAYED, {"played": json.dumps(played)}).fetchone()[0])
