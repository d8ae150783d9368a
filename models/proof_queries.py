"""Statements about bets whose proofs are due, each for many bets at once.

They are written in SQL, because Peewee generates the SQL again for each list of ids. That took 65 of the
600 µs of a spin. By the last three, on PostgreSQL, several processes share the work.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from models.db.connection import reading, writing
from models.db.postgres import Postgres
from models.db.sql import execute
from models.processes import LIVE_MS

MOST_OF_A_PLAYER = 1_000
"""Undelivered proofs of one player in one answer."""


class DueBet(NamedTuple):
    """The columns of a bet and its player that the proof and the public lists need."""

    id: int
    user_id: int
    username: str
    avatar: str
    game: str
    snapshot: str | None
    """The hash of the snapshot of an opening."""
    nonce: int
    wager_cents: int
    payout_cents: int
    client_seed: str
    server_seed_commitment: str
    sealed_server_seed: str | None
    server_seed: str | None
    completed_at_ms: int
    proof_delivered_at_ms: int | None


class UndeliveredBet(NamedTuple):
    """A bet whose proof is due and not delivered."""

    user_id: int
    id: int
    nonce: int
    is_revealed: bool


OTHER_TABLES = {"username": "users.username", "avatar": "users.avatar", "snapshot": "snapshots.hash"}
COLUMNS = ", ".join(OTHER_TABLES.get(name, f"bets.{name}") for name in DueBet._fields)

FIND = f"""
SELECT {COLUMNS}
FROM bets JOIN users ON users.id = bets.user_id LEFT JOIN snapshots ON snapshots.id = bets.snapshot_id
WHERE bets.id IN (SELECT CAST(wanted.key AS BIGINT) FROM {{pairs}}(:wanted) AS wanted)
ORDER BY bets.id
"""  # noqa: S608  # constants of this file
REVEAL = """
UPDATE bets SET server_seed = opened.value, sealed_server_seed = NULL
FROM {pairs}(:seeds) AS opened
WHERE bets.id = CAST(opened.key AS BIGINT) AND bets.server_seed IS NULL
"""
POSTPONE = """
UPDATE bets SET completed_at_ms = CAST(late.value AS BIGINT)
FROM {pairs}(:due_times) AS late
WHERE bets.id = CAST(late.key AS BIGINT) AND bets.server_seed IS NULL
    AND bets.completed_at_ms < CAST(late.value AS BIGINT)
"""
# Seed and mark are written together: each new version of a row costs PostgreSQL entries in six indexes.
MARK_DELIVERED = """
UPDATE bets SET
    server_seed = COALESCE(bets.server_seed, sent.value), sealed_server_seed = NULL,
    proof_delivered_at_ms = :delivered_at
FROM {pairs}(:seeds) AS sent
WHERE bets.id = CAST(sent.key AS BIGINT) AND COALESCE(bets.server_seed, sent.value) IS NOT NULL
"""

# The second process to claim a bet changes no row, and waits for none. A process that was not answered claims
# the bets that it holds again. The seed may have been revealed before by a search of the player.
CLAIM = """
WITH claimed AS (
    SELECT bets.id, opened.server_seed, opened.held_by
    FROM json_to_recordset(:rows) AS opened (id bigint, server_seed text, held_by integer)
    JOIN bets ON bets.id = opened.id
    WHERE bets.proof_held_by IS NULL OR bets.proof_held_by = NULLIF(:by, 0)
    ORDER BY bets.id
    FOR UPDATE OF bets SKIP LOCKED
)
UPDATE bets SET
    server_seed = claimed.server_seed, sealed_server_seed = NULL,
    proof_held_by = claimed.held_by
FROM claimed
WHERE bets.id = claimed.id
RETURNING bets.id
"""
RELEASE = """
UPDATE bets SET proof_held_by = 0
WHERE id = ANY(CAST(:bets AS bigint[])) AND proof_delivered_at_ms IS NULL
RETURNING user_id
"""
# One look-up in the index bets_without_delivered_proof for each player. The live processes are read once.
UNDELIVERED = f"""
SELECT undelivered.*
FROM unnest(CAST(:players AS bigint[]), CAST(:after AS bigint[])) AS player (id, after_nonce)
CROSS JOIN LATERAL (
    SELECT user_id, id, nonce, server_seed IS NOT NULL
    FROM bets
    WHERE user_id = player.id AND nonce > player.after_nonce AND proof_delivered_at_ms IS NULL
        AND (server_seed IS NOT NULL OR completed_at_ms <= :now)
        AND (
            id = ANY(CAST(:held_here AS bigint[]))
            OR COALESCE(proof_held_by, 0) <> ALL (ARRAY(
                SELECT id FROM processes WHERE seen_at_ms > {Postgres.now_ms.sql} - {LIVE_MS}
            ))
        )
    ORDER BY nonce
    LIMIT :most
) AS undelivered
"""  # noqa: S608  # constants


@reading()
def find(bet_ids: Sequence[int]) -> list[DueBet]:
    """Return these bets in the order of their ids."""
    return [DueBet._make(row) for row in execute(FIND, {"wanted": json.dumps(dict.fromkeys(bet_ids))})]


@writing()
def reveal(seeds: Mapping[int, str]) -> None:
    """Replace the encrypted seeds of these bets by the revealed ones."""
    execute(REVEAL, {"seeds": json.dumps(seeds)})


@writing()
def postpone(due_times: Mapping[int, int]) -> None:
    """Write later due times, in ms, of the proofs of these bets, unless their seeds are revealed already."""
    execute(POSTPONE, {"due_times": json.dumps(due_times)})


@writing()
def mark_delivered(seeds: Mapping[int, str | None], *, delivered_at: int) -> None:
    """Write when the proofs of these bets were delivered, in ms, and the seeds that are not revealed yet."""
    execute(MARK_DELIVERED, {"seeds": json.dumps(seeds), "delivered_at": delivered_at})


@writing()
def claim(seeds: Mapping[int, str], *, held: Iterable[int], by: int) -> set[int]:
    """Write the seeds of these bets; returns those that no other process has claimed or is claiming.

    Only the process ``by`` sends the proofs of the bets in ``held``, and every process those of the others.
    """
    alone = set(held)
    rows = [
        {"id": bet_id, "server_seed": seed, "held_by": by if bet_id in alone else 0}
        for bet_id, seed in seeds.items()
    ]
    return {bet_id for (bet_id,) in execute(CLAIM, {"rows": json.dumps(rows), "by": by})}


@writing()
def release(bet_ids: Iterable[int]) -> set[int]:
    """Let every process send the proofs of these bets; returns the players who still miss one."""
    return {user_id for (user_id,) in execute(RELEASE, {"bets": _array(bet_ids)})}


@reading()
def undelivered(after: Mapping[int, int], *, now: int, held_here: Iterable[int]) -> list[UndeliveredBet]:
    """The first bets of these players whose proofs are due at ``now``, in ms, and not delivered.

    ``after`` has the nonce of each player after which to begin. The bets of each player are in the order of
    their nonces. Bets that another live process holds are left out.
    """
    values = {
        "players": _array(after),
        "after": _array(after.values()),
        "most": MOST_OF_A_PLAYER,
        "now": now,
        "held_here": _array(held_here),
    }
    return [UndeliveredBet._make(row) for row in execute(UNDELIVERED, values)]


def _array(numbers: Iterable[int]) -> str:
    """An array as text, which takes the driver 6 ms for 20,000 numbers; a list takes 38."""
    return f"{{{','.join(map(str, numbers))}}}"
