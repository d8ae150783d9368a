"""Bets whose proofs are due, read and written some at a time.

As queries of peewee, which are put together anew for each list of ids, they took 65 µs a bet, of the 600 that
a spin and all that follows it took.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from models.database import Sqlite, database


class DueBet(NamedTuple):
    """A bet and its player, as far as the proof and the public lists show them."""

    id: int
    user_id: int
    username: str
    avatar: str
    game: str
    nonce: int
    wager_cents: int
    payout_cents: int
    client_seed: str
    server_seed_commitment: str
    sealed_server_seed: str | None
    server_seed: str | None
    completed_at_ms: int
    proof_delivered_at_ms: int | None


OF_USERS = ("username", "avatar")
COLUMNS = ", ".join(f"{'users' if name in OF_USERS else 'bets'}.{name}" for name in DueBet._fields)

# A list is one parameter, a JSON text, so that these texts are the same for any number of bets.
FIND = f"""
SELECT {COLUMNS}
FROM bets JOIN users ON users.id = bets.user_id
WHERE bets.id IN {{ids}}
ORDER BY bets.id
"""  # noqa: S608  # names of ours
REVEAL = """
UPDATE bets SET server_seed = opened.value, sealed_server_seed = NULL
FROM {opened} AS opened
WHERE bets.id = CAST(opened.key AS BIGINT) AND bets.server_seed IS NULL
"""
# One version of the row instead of two: each costs PostgreSQL entries in nine indexes.
REVEAL_AND_MARK = """
UPDATE bets SET server_seed = sent.value, sealed_server_seed = NULL, proof_delivered_at_ms = {mark}
FROM {opened} AS sent
WHERE bets.id = CAST(sent.key AS BIGINT)
"""
TAKE_BACK = "UPDATE bets SET proof_delivered_at_ms = NULL WHERE id IN {ids}"

SQLITE = {"mark": "?", "ids": "(SELECT value FROM json_each(?))", "opened": "json_each(?)"}
POSTGRESQL = {
    "mark": "%s",
    "ids": "(SELECT CAST(json_array_elements_text(%s) AS BIGINT))",
    "opened": "json_each_text(%s)",
}


def find(bet_ids: Sequence[int]) -> list[DueBet]:
    """These bets, in the order of their ids. To be used within ``reading()``."""
    return [DueBet._make(row) for row in _execute(FIND, json.dumps(bet_ids)).fetchall()]


def reveal(seeds: Mapping[int, str]) -> None:
    """Write these opened seeds, by the ids of their bets, in the place of the sealed ones."""
    _execute(REVEAL, json.dumps(seeds))


def reveal_and_mark(seeds: Mapping[int, str], *, delivered_at: int) -> None:
    """The same, and when the proofs reached their players, in ms."""
    _execute(REVEAL_AND_MARK, delivered_at, json.dumps(seeds))


def take_back(bet_ids: Sequence[int]) -> None:
    """These bets' proofs have not reached their players after all."""
    _execute(TAKE_BACK, json.dumps(bet_ids))


def _execute(text: str, *parameters: Any) -> Any:
    own = SQLITE if isinstance(database.obj, Sqlite) else POSTGRESQL
    return database.execute_sql(text.format_map(own), parameters)
