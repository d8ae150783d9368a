"""Statements about the proofs of many bets. The row of a bet is the outbox of its proof.

| state | ``proof_held_by`` | seed | ``proof_delivered_at_ms`` |
|---|---|---|---|
| scheduled, and due from ``proof_due_at_ms`` | null | encrypted | null |
| claimed | the id of a process | encrypted | null |
| released | RELEASED | written | null |
| delivered | | written | when |

An encrypted seed is in ``encrypted_server_seed``, a written one in ``server_seed``. A player's search writes
the seeds of all that are due, in any state. What a process holds that is not live counts as released.

They are written in SQL, because Peewee generates the SQL again for each list of ids. That took 65 of the
600 µs of a spin. Each commits by itself.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import peewee

from models.bets import SHOWN_WITH_BETS
from models.db.connection import database, reading
from models.db.sql import execute
from models.processes import LIVE_MS

RELEASED = 0
"""The holder of a proof that no process holds."""

FOUND_AT_ONCE = 10_000
"""The most proofs that ``undelivered`` returns: 10 ms of Python."""

SEEDS_AT_ONCE = 500
"""Seeds that one statement writes."""


class Proof(NamedTuple):
    """The columns of a claimed bet and its player that the proof and the public lists need."""

    id: int
    user_id: int
    username: str
    avatar: str
    game: str
    item: str
    image: str
    case_slug: str | None
    case_name: str | None
    snapshot: str | None
    """The hash of the snapshot of an opening."""
    nonce: int
    wager_cents: int
    payout_cents: int
    client_seed: str
    server_seed_commitment: str
    encrypted_server_seed: str | None
    server_seed: str
    """Empty while the seed is encrypted."""
    proof_due_at_ms: int
    is_suspended: bool
    """Whether the player is: the public lists do not have the bet then."""


class UndeliveredBet(NamedTuple):
    """A bet whose proof is claimed or released, and not delivered."""

    id: int
    user_id: int
    held_by: int


# SQLite can return columns of the changed table only.
EXPRESSIONS = SHOWN_WITH_BETS | {
    "snapshot": "(SELECT hash FROM snapshots WHERE snapshots.id = bets.snapshot_id)",
    "server_seed": "COALESCE(server_seed, '')",
    "is_suspended": "(SELECT suspended_at_ms IS NOT NULL FROM users WHERE users.id = bets.user_id)",
}
COLUMNS = ", ".join(EXPRESSIONS.get(name, name) for name in Proof._fields)

# The second of two processes waits for the first one's statement, and then changes no row. A process that got
# no answer repeats its claim.
CLAIM = f"""
UPDATE bets SET proof_held_by = :process
FROM {{pairs}}(:holders) AS wanted
WHERE bets.id = CAST(wanted.key AS BIGINT) AND proof_delivered_at_ms IS NULL
    AND (proof_held_by = :process OR COALESCE(CAST(proof_held_by AS TEXT), '') = wanted.value)
RETURNING {COLUMNS}
"""  # noqa: S608  # constants of this file
UNCLAIMED = """
SELECT id, proof_due_at_ms FROM bets
WHERE proof_held_by IS NULL AND proof_delivered_at_ms IS NULL
    AND (:due_by IS NULL OR proof_due_at_ms <= :due_by)
ORDER BY proof_due_at_ms
"""
# One look-up in the index bets_without_delivered_proof for each player. The live processes are read once.
UNDELIVERED = f"""
SELECT bets.id, bets.user_id, bets.proof_held_by
FROM {{pairs}}(:players) AS player CROSS JOIN bets
WHERE bets.user_id = CAST(player.key AS BIGINT) AND proof_delivered_at_ms IS NULL
    AND proof_held_by IS NOT NULL
    AND (
        player.value = 'all' OR proof_held_by <> :process AND proof_held_by NOT IN (
            SELECT id FROM processes WHERE seen_at_ms > {{now}} - {LIVE_MS}
        )
    )
ORDER BY bets.user_id, bets.nonce
LIMIT :most
"""  # noqa: S608  # constants
REVEAL = """
UPDATE bets SET server_seed = opened.value, encrypted_server_seed = NULL
FROM {pairs}(:seeds) AS opened
WHERE bets.id = CAST(opened.key AS BIGINT) AND server_seed IS NULL
"""
RELEASE = f"""
UPDATE bets SET
    server_seed = COALESCE(server_seed, sent.value), encrypted_server_seed = NULL,
    proof_held_by = {RELEASED}
FROM {{pairs}}(:seeds) AS sent
WHERE bets.id = CAST(sent.key AS BIGINT) AND proof_held_by = :process AND proof_delivered_at_ms IS NULL
"""  # noqa: S608  # a constant
# Seed and time are written together: each new version of a row costs PostgreSQL entries in six indexes, or
# in eight for an opening.
MARK_DELIVERED = """
UPDATE bets SET
    server_seed = COALESCE(server_seed, sent.value), encrypted_server_seed = NULL,
    proof_delivered_at_ms = :delivered_at
FROM {pairs}(:seeds) AS sent
WHERE bets.id = CAST(sent.key AS BIGINT) AND proof_delivered_at_ms IS NULL
"""
POSTPONE = """
UPDATE bets SET proof_due_at_ms = :due_at
WHERE id = :bet AND proof_held_by IS NULL AND server_seed IS NULL AND proof_due_at_ms < :due_at
"""


@contextmanager
def _writing() -> Iterator[None]:
    """Run the block's only statement, which commits by itself.

    A process that is paused between two statements of a transaction would hold up the others.
    """
    with reading(), database.write_lock():
        yield


@_writing()
def claim(holders: Mapping[int, int | None], *, process: int) -> list[Proof]:
    """Claim these bets from the holders that they were found with; None is for a bet without one.

    Returns, in the order of their ids, those that this process holds now.
    """
    wanted = {bet_id: "" if holder is None else str(holder) for bet_id, holder in holders.items()}
    return sorted(
        Proof._make(row) for row in execute(CLAIM, {"holders": json.dumps(wanted), "process": process})
    )


@reading()
def unclaimed(*, due_by: int | None) -> list[tuple[int, int]]:
    """The bets that no process has claimed, and when they are due in ms, earliest first.

    With ``due_by`` only those that are due by then.
    """
    return list(execute(UNCLAIMED, {"due_by": due_by}))


@reading()
def undelivered(players: Mapping[int, bool], *, process: int) -> list[UndeliveredBet]:
    """The first claimed or released bets of these players, in the order of their ids and nonces.

    For each player, the value says whether bets that a live process holds are wanted too. When there are
    ``FOUND_AT_ONCE``, there may be more.
    """
    wanted = {user_id: "all" if is_all else "" for user_id, is_all in players.items()}
    found = execute(UNDELIVERED, {"players": json.dumps(wanted), "process": process, "most": FOUND_AT_ONCE})
    return [UndeliveredBet._make(row) for row in found]


def reveal(seeds: Mapping[int, str]) -> None:
    """Replace the encrypted seeds of these bets by the revealed ones."""
    _write_seeds(REVEAL, seeds)


def release(seeds: Mapping[int, str], *, process: int) -> None:
    """Let any process claim those of these proofs that this one holds, and write their seeds."""
    _write_seeds(RELEASE, seeds, process=process)


def mark_delivered(seeds: Mapping[int, str], *, delivered_at: int) -> None:
    """Write when the proofs of these bets were delivered, in ms, and their seeds."""
    _write_seeds(MARK_DELIVERED, seeds, delivered_at=delivered_at)


def _write_seeds(statement: str, seeds: Mapping[int, str], **values: int) -> None:
    """Write seeds by the ids of their bets, in that order, so that two writers do not deadlock."""
    for some in peewee.chunked(sorted(seeds.items()), SEEDS_AT_ONCE):
        with _writing():
            execute(statement, {"seeds": json.dumps(dict(some)), **values})


@_writing()
def postpone(bet_id: int, *, due_at: int) -> None:
    """Write a later time, in ms, at which the proof of this bet is due, unless it is claimed or revealed."""
    execute(POSTPONE, {"bet": bet_id, "due_at": due_at})
