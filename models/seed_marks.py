"""Marks in the history of the database, by which a server recognises that the database went back in time.

The marks form a chain: each number follows the one before it and has a random token. A server keeps the last
mark that it made outside the database (services/seed_witness.py). A database that lacks this mark was
restored, or is another one. The last mark also carries the epoch of the announced server seeds: a seed of an
earlier epoch must be redrawn before it is used.
"""

from typing import Any, NamedTuple

import peewee

from models.database import Table, database

KEPT = 100_000
"""How many marks are kept. A server that plays without a pause makes about 15,000 a day."""


class SeedMark(Table):
    """One mark. Two processes that append one number collide on the primary key, so the chain is linear."""

    number = peewee.BigIntegerField(primary_key=True)
    token = peewee.CharField(max_length=32)
    epoch = peewee.BigIntegerField()

    class Meta:
        table_name = "seed_marks"


class Mark(NamedTuple):
    """A mark as a server remembers it."""

    number: int
    token: str


# Parts of statements, also of models/spin_settlement.py.
CURRENT_EPOCH = "(SELECT epoch FROM seed_marks ORDER BY number DESC LIMIT 1)"
HOLDS_MARK = "EXISTS (SELECT 1 FROM seed_marks WHERE number = {} AND token = {})"

FIND = f"""
SELECT nonce, server_seed_commitment, sealed_server_seed, epoch = {CURRENT_EPOCH},
    {HOLDS_MARK.format("?", "?")}
FROM announced_seeds WHERE user_id = ?
"""  # noqa: S608  # texts of this file
REDRAW = f"""
UPDATE announced_seeds SET server_seed_commitment = ?, sealed_server_seed = ?, epoch = {CURRENT_EPOCH}
WHERE user_id = ? AND nonce = ? AND server_seed_commitment = ?
"""  # noqa: S608
APPEND = f"""
INSERT INTO seed_marks (number, token, epoch)
SELECT number + 1, ?, epoch FROM seed_marks
WHERE number = (SELECT MAX(number) FROM seed_marks) AND {HOLDS_MARK.format("?", "?")}
RETURNING number
"""  # noqa: S608
BEGIN_EPOCH = """
INSERT INTO seed_marks (number, token, epoch)
SELECT number + 1, ?, epoch + 1 FROM seed_marks WHERE number = (SELECT MAX(number) FROM seed_marks)
RETURNING number
"""
HEAD = f"""
SELECT number, token FROM seed_marks
WHERE number = (SELECT MAX(number) FROM seed_marks) AND {HOLDS_MARK.format("?", "?")}
"""  # noqa: S608
IS_NEW = """
SELECT NOT EXISTS (SELECT 1 FROM seed_marks WHERE number > 1) AND NOT EXISTS (SELECT 1 FROM bets)
"""
FIRST = "SELECT number, token FROM seed_marks WHERE number = 1"
PRUNE = "DELETE FROM seed_marks WHERE number <= ?"


class FoundSeed(NamedTuple):
    """A player's announced seed, and what the database says about its own state."""

    nonce: int
    commitment: str
    sealed: str
    is_current: bool
    """Whether it was drawn in the current epoch."""
    holds_mark: bool
    """Whether the database contains the mark that the caller knows."""


def find_seed(user_id: int, *, known: Mark) -> FoundSeed | None:
    """The player's announced seed. To be used within ``reading()``."""
    found = _execute(FIND, known.number, known.token, user_id).fetchone()
    return None if found is None else FoundSeed(*found)


def redraw_seed(user_id: int, old: FoundSeed, *, commitment: str, sealed: str) -> bool:
    """Put a new seed in the place of this one; the nonce stays.

    False when a spin or another process has replaced the old one first. To be used within ``writing()``.
    """
    changed = _execute(REDRAW, commitment, sealed, user_id, old.nonce, old.commitment)
    return bool(changed.rowcount)


def append(token: str, *, known: Mark) -> Mark | None:
    """Add a mark of the current epoch; None when the database does not contain the known one.

    To be used within ``writing()``. Raises peewee.IntegrityError when another process was first.
    """
    return _inserted(token, _execute(APPEND, token, known.number, known.token).fetchone())


def begin_epoch(token: str) -> Mark:
    """Add a mark of a new epoch: every seed announced so far must be redrawn. Otherwise as ``append``."""
    mark = _inserted(token, _execute(BEGIN_EPOCH, token).fetchone())
    if mark is None:
        raise peewee.OperationalError("the table seed_marks is empty")
    return mark


def head(*, known: Mark) -> Mark | None:
    """The last mark; None when the database does not contain the known one."""
    found = _execute(HEAD, known.number, known.token).fetchone()
    return None if found is None else Mark(*found)


def first() -> Mark | None:
    """The mark of the migration, when the database is so new that no server and no backup has added one."""
    if not _execute(IS_NEW).fetchone()[0]:
        return None
    return Mark(*_execute(FIRST).fetchone())


def _inserted(token: str, row: tuple[int] | None) -> Mark | None:
    if row is None:
        return None
    _execute(PRUNE, row[0] - KEPT)
    return Mark(row[0], token)


def _execute(text: str, *parameters: object) -> Any:
    return database.execute_sql(text.replace("?", database.obj.param), parameters)
