"""Statements about bets whose proofs are due, each for many bets at once.

They are written in SQL, because Peewee generates the SQL again for each list of ids. That took 65 of the
600 µs of a spin.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from models.db.connection import Sqlite, database


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


OTHER_TABLES = {"username": "users.username", "avatar": "users.avatar", "snapshot": "snapshots.hash"}
COLUMNS = ", ".join(OTHER_TABLES.get(name, f"bets.{name}") for name in DueBet._fields)

# A list is one parameter, a JSON text, so the statement is the same for any number of bets.
FIND = f"""
SELECT {COLUMNS}
FROM bets JOIN users ON users.id = bets.user_id LEFT JOIN snapshots ON snapshots.id = bets.snapshot_id
WHERE bets.id IN {{ids}}
ORDER BY bets.id
"""  # noqa: S608  # constants of this file
REVEAL = """
UPDATE bets SET server_seed = opened.value, sealed_server_seed = NULL
FROM {opened} AS opened
WHERE bets.id = CAST(opened.key AS BIGINT) AND bets.server_seed IS NULL
"""
POSTPONE = """
UPDATE bets SET completed_at_ms = CAST(late.value AS BIGINT)
FROM {opened} AS late
WHERE bets.id = CAST(late.key AS BIGINT) AND bets.server_seed IS NULL
    AND bets.completed_at_ms < CAST(late.value AS BIGINT)
"""
# Seed and mark are written together: each new version of a row costs PostgreSQL entries in nine indexes.
MARK_DELIVERED = """
UPDATE bets SET
    server_seed = COALESCE(bets.server_seed, sent.value), sealed_server_seed = NULL,
    proof_delivered_at_ms = {mark}
FROM {opened} AS sent
WHERE bets.id = CAST(sent.key AS BIGINT) AND COALESCE(bets.server_seed, sent.value) IS NOT NULL
"""

SQLITE = {"mark": "?", "ids": "(SELECT value FROM json_each(?))", "opened": "json_each(?)"}
POSTGRESQL = {
    "mark": "%s",
    "ids": "(SELECT CAST(json_array_elements_text(%s) AS BIGINT))",
    "opened": "json_each_text(%s)",
}


def find(bet_ids: Sequence[int]) -> list[DueBet]:
    """Return these bets in the order of their ids. Use it within ``reading()``."""
    return [DueBet._make(row) for row in _execute(FIND, json.dumps(bet_ids)).fetchall()]


def reveal(seeds: Mapping[int, str]) -> None:
    """Replace the encrypted seeds of these bets by the revealed ones."""
    _execute(REVEAL, json.dumps(seeds))


def postpone(due_times: Mapping[int, int]) -> None:
    """Write later due times, in ms, of the proofs of these bets, unless their seeds are revealed already."""
    _execute(POSTPONE, json.dumps(due_times))


def mark_delivered(seeds: Mapping[int, str | None], *, delivered_at: int) -> None:
    """Write when the proofs of these bets were delivered, in ms, and the seeds that are not revealed yet."""
    _execute(MARK_DELIVERED, delivered_at, json.dumps(seeds))


def _execute(text: str, *parameters: Any) -> Any:
    own = SQLITE if isinstance(database.obj, Sqlite) else POSTGRESQL
    return database.execute_sql(text.format_map(own), parameters)
