"""Statements of PostgreSQL by which several processes share the delivery of proofs."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from models.db.connection import database

MOST_OF_A_PLAYER = 1_000
"""Undelivered proofs of one player in one answer; the next ones follow when some of these are delivered."""


class Opened(NamedTuple):
    """A bet's seed, and until when only this process sends its proof; 0 if any process may."""

    server_seed: str
    held_until_ms: int


class UndeliveredBet(NamedTuple):
    """A bet whose proof is due and not delivered."""

    user_id: int
    id: int
    is_revealed: bool


# The second process to claim a bet changes no row, and waits for none. The seed may have been revealed before
# by a search of the player.
CLAIM = """
WITH claimed AS (
    SELECT bets.id, opened.server_seed, opened.held_until_ms
    FROM json_to_recordset(%s) AS opened (id bigint, server_seed text, held_until_ms bigint)
    JOIN bets ON bets.id = opened.id
    WHERE bets.proof_held_until_ms IS NULL
    ORDER BY bets.id
    FOR UPDATE OF bets SKIP LOCKED
)
UPDATE bets SET
    server_seed = claimed.server_seed, sealed_server_seed = NULL,
    proof_held_until_ms = claimed.held_until_ms
FROM claimed
WHERE bets.id = claimed.id
RETURNING bets.id
"""
RELEASE = """
UPDATE bets SET proof_held_until_ms = 0
WHERE id = ANY(CAST(%s AS bigint[])) AND proof_delivered_at_ms IS NULL
RETURNING user_id
"""
OVERDUE = """
SELECT id FROM bets
WHERE server_seed IS NULL AND completed_at_ms <= %s
ORDER BY completed_at_ms
LIMIT %s
"""
# One look-up in the index bets_without_delivered_proof for each player.
UNDELIVERED = """
SELECT undelivered.*
FROM unnest(CAST(%(user_ids)s AS bigint[])) AS player (id)
CROSS JOIN LATERAL (
    SELECT user_id, id, server_seed IS NOT NULL
    FROM bets
    WHERE user_id = player.id AND proof_delivered_at_ms IS NULL
        AND (server_seed IS NOT NULL OR completed_at_ms <= %(now)s)
        AND (
            %(held_too)s OR proof_held_until_ms IS NULL OR proof_held_until_ms <= %(now)s
            OR id = ANY(CAST(%(held_here)s AS bigint[]))
        )
    ORDER BY nonce
    LIMIT %(most)s
) AS undelivered
"""


def claim(opened: Mapping[int, Opened]) -> set[int]:
    """Write the seeds of these bets; returns those that no other process has claimed or is claiming."""
    rows = [{"id": bet_id, **seed._asdict()} for bet_id, seed in opened.items()]
    return {bet_id for (bet_id,) in _execute(CLAIM, (json.dumps(rows),))}


def release(bet_ids: Iterable[int]) -> set[int]:
    """Let every process send the proofs of these bets; returns the players who still miss one."""
    return {user_id for (user_id,) in _execute(RELEASE, (_array(bet_ids),))}


def overdue(*, before: int, limit: int) -> list[int]:
    """The first bets that were due at this time, in ms, and whose seeds are not revealed."""
    return [bet_id for (bet_id,) in _execute(OVERDUE, (before, limit))]


def undelivered(
    user_ids: Iterable[int], *, now: int, held_here: Iterable[int], held_too: bool
) -> list[UndeliveredBet]:
    """The first bets of these players whose proofs are due at ``now``, in ms, and not delivered.

    The bets of each player are in the order of their nonces. Bets that another process holds are left out,
    unless ``held_too``.
    """
    values = {
        "user_ids": _array(user_ids),
        "now": now,
        "held_here": _array(held_here),
        "held_too": held_too,
        "most": MOST_OF_A_PLAYER,
    }
    return [UndeliveredBet._make(row) for row in _execute(UNDELIVERED, values)]


def _execute(text: str, parameters: Any) -> list[tuple[Any, ...]]:
    return list(database.execute_sql(text, parameters).fetchall())


def _array(numbers: Iterable[int]) -> str:
    """An array as text, which takes the driver 6 ms for 20,000 numbers; a list takes 38."""
    return f"{{{','.join(map(str, numbers))}}}"
