"""Marks in the history of the database, by which a server recognises that the database went back in time.

The marks form a chain: consecutive numbers, each with a random token. A server keeps the last
mark that it knows in a file outside the database (services/fairness/seed_witness.py). A database without
this mark was restored, or is another one. The last mark also carries the epoch of the announced server seeds:
a seed of an earlier epoch must be redrawn before it is used.
"""

import json
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

import peewee
from peewee import fn

from models.db.connection import Table, database
from models.db.sql import execute
from models.users import AnnouncedSeed

FIRST_NUMBER = 1
"""The number of the mark in a new database; the first server and the first backup append to it."""


class SeedMark(Table):
    """One mark. The primary key keeps the chain linear."""

    number = peewee.BigIntegerField(primary_key=True)
    token = peewee.CharField(max_length=32)
    epoch = peewee.BigIntegerField()

    class Meta:
        table_name = "seed_marks"


class Mark(NamedTuple):
    """A mark as a server remembers it."""

    number: int
    token: str


class LastMark(NamedTuple):
    """The end of the chain, and whether the chain contains the mark that the caller knows."""

    mark: Mark
    contains_known: bool


class FoundSeed(NamedTuple):
    """A player's announced seed, and whether it may be used."""

    nonce: int
    commitment: str
    encrypted: str
    is_current: bool
    """Whether it was drawn in the current epoch."""
    contains_known: bool
    """Whether the database contains the mark that the caller knows."""


def current_epoch() -> Any:
    """A subquery: the epoch of the last mark."""
    return SeedMark.select(SeedMark.epoch).order_by(SeedMark.number.desc()).limit(1)


def contains(number: Any, token: Any) -> Any:
    """A condition: the database contains this mark."""
    mark = SeedMark.select(SeedMark.number).where(SeedMark.number == number, SeedMark.token == token)
    return fn.EXISTS(mark)


def last(*, known: Mark) -> LastMark:
    """The last mark. To be used within ``reading()``."""
    query: Any = SeedMark.select(SeedMark.number, SeedMark.token, contains(*known))
    number, token, contains_known = query.order_by(SeedMark.number.desc()).limit(1).tuples().get()
    return LastMark(Mark(number, token), bool(contains_known))


def is_new() -> bool:
    """Whether no server and no backup has used this database yet. To be used within ``reading()``."""
    return bool(SeedMark.select(fn.MAX(SeedMark.number)).scalar() == FIRST_NUMBER)


def append(*, new_epoch: bool) -> Mark:
    """Add a mark to the chain. With ``new_epoch`` every seed announced so far must be redrawn.

    To be used within ``writing()``.
    """
    database.obj.lock_tables(SeedMark)
    end = SeedMark.select().order_by(SeedMark.number.desc()).get()
    mark = Mark(end.number + 1, secrets.token_hex(16))
    SeedMark.insert(**mark._asdict(), epoch=end.epoch + int(new_epoch)).execute()
    return mark


def find_seed(user_id: int, *, known: Mark) -> FoundSeed | None:
    """The player's announced seed. To be used within ``reading()``."""
    # In one statement, so that the marks are those of the database that the seed was read from.
    found = (
        AnnouncedSeed.select(
            AnnouncedSeed.nonce,
            AnnouncedSeed.server_seed_commitment,
            AnnouncedSeed.encrypted_server_seed,
            AnnouncedSeed.epoch == current_epoch(),
            contains(*known),
        )
        .where(AnnouncedSeed.user == user_id)
        .tuples()
        .first()
    )
    return None if found is None else FoundSeed(*found)


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


def redraw_seed(user_id: int, old: FoundSeed, *, commitment: str, encrypted: str) -> bool:
    """Replace this seed by a new one with the same nonce.

    False when a spin or another process has replaced it first. To be used within ``writing()``.
    """
    changed = (
        AnnouncedSeed.update(
            server_seed_commitment=commitment, encrypted_server_seed=encrypted, epoch=current_epoch()
        )
        .where(
            AnnouncedSeed.user == user_id,
            AnnouncedSeed.nonce == old.nonce,
            AnnouncedSeed.server_seed_commitment == old.commitment,
        )
        .execute()
    )
    return bool(changed)
