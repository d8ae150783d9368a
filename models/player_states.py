"""Finds sockets whose token is revoked, or whose player's state is not what they were last sent."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from models.db.connection import reading
from models.db.sql import execute


class SentState(NamedTuple):
    """What a socket was last sent, its player, and the number of its token."""

    sid: str
    user_id: int
    token_number: int
    version: int
    commitment: str


class ChangedState(NamedTuple):
    """The newer token number and balances in the database, by the names of the columns."""

    sid: str
    user_id: int
    token_number: int
    balance_cents: int
    vault_cents: int
    sweepstake_cents: int
    balance_version: int


DIGITS = 20
# Each state is one text, because the databases have no common way to read values of a JSON object: the ids of
# player and token number with their leading zeros, then version and commitment.
FIND_CHANGED = f"""
SELECT sent.key, users.id, users.token_number,
    users.balance_cents, users.vault_cents, users.sweepstake_cents, users.balance_version
FROM {{pairs}}(:sent) AS sent
    JOIN users ON users.id = CAST(substr(sent.value, 1, {DIGITS}) AS BIGINT)
    JOIN announced_seeds ON announced_seeds.user_id = users.id
WHERE users.token_number > CAST(substr(sent.value, {DIGITS + 1}, {DIGITS}) AS BIGINT)
    OR substr(sent.value, {2 * DIGITS + 1})
    <> users.balance_version || ' ' || announced_seeds.server_seed_commitment
"""  # noqa: S608  # constants


@reading()
def find_changed(sent: Sequence[SentState]) -> list[ChangedState]:
    """The sockets of these whose players' state or token number has changed, with the new state."""
    if not sent:
        return []
    texts = {
        each.sid: f"{each.user_id:0{DIGITS}}{each.token_number:0{DIGITS}}{each.version} {each.commitment}"
        for each in sent
    }
    return [ChangedState(*row) for row in execute(FIND_CHANGED, {"sent": json.dumps(texts)})]
