"""Statements of PostgreSQL by which several processes share the delivery of proofs."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from models.db.connection import database
from models.db.postgres import Postgres
from models.processes import LIVE_MS

MOST_OF_A_PLAYER = 1_000
"""Undelivered proofs of one player in one answer; the next ones follow when some of these are delivered."""


class Opened(NamedTuple):
    """A bet's seed, and the process that sends its proof alone; 0 if every process may."""

    server_seed: str
    held_by: int


class UndeliveredBet(NamedTuple):
    """A bet whose proof is due and not delivered."""

    user_id: int
    id: int
    is_revealed: bool


# The second process to claim a bet changes no row, and waits for none. The seed may have been revealed before
# by a search of the player.
CLAIM = """
WITH claimed AS (
    SELECT bets.id, opened.server_seed, opened.held_by
    FROM json_to_recordset(%s) AS opened (id bigint, server_seed text, held_by integer)
    JOIN bets ON bets.id = opened.id
    WHERE bets.proof_held_by IS NULL
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
WHERE id = ANY(CAST(%s AS bigint[])) AND proof_delivered_at_ms IS NULL
RETURNING user_id
"""
OVERDUE = """
SELECT id FROM bets
WHERE server_seed IS NULL AND completed_at_ms <= %s
ORDER BY completed_at_ms
LIMIT %s
"""
# One look-up in the index bets_without_delivered_proof for each player. The live processes are read once.
UNDELIVERED = f"""
SELECT undelivered.*
FROM unnest(CAST(%(user_ids)s AS bigint[])) AS player (id)
CROSS JOIN LATERAL (
    SELECT user_id, id, server_seed IS NOT NULL
    FROM bets
    WHERE user_id = player.id AND proof_delivered_at_ms IS NULL
        AND (server_seed IS NOT NULL OR completed_at_ms <= %(now)s)
        AND (
            %(held_too)s OR id = ANY(CAST(%(held_here)s AS bigint[]))
            OR COALESCE(proof_held_by, 0) <> ALL (ARRAY(
                SELECT id FROM processes WHERE seen_at_ms > {Postgres.now_ms.sql} - {LIVE_MS}
            ))
        )
    ORDER BY nonce
    LIMIT %(most)s
) AS undelivered
"""  # noqa: S608  # constants


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

    The bets of each player are in the order of their nonces. Bets that another live process holds are left
    out, unless ``held_too``.
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
