"""Finds the sockets whose players' state in the database is not what they were last sent."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from models.db.connection import reading
from models.db.sql import execute


class SentState(NamedTuple):
    """The version of the balances and the commitment that a socket was last sent, and its player."""

    sid: str
    user_id: int
    version: int
    commitment: str


class ChangedState(NamedTuple):
    """What is in the database instead, by the names of the columns."""

    sid: str
    user_id: int
    balance_cents: int
    vault_cents: int
    sweepstake_cents: int
    balance_version: int
    nonce: int
    server_seed_commitment: str


# All of them are one parameter, a JSON object: the driver takes three times as long for lists.
FIND_CHANGED = """
SELECT sent.sid, users.id, users.balance_cents, users.vault_cents, users.sweepstake_cents,
    users.balance_version, announced_seeds.nonce, announced_seeds.server_seed_commitment
FROM (
    SELECT key AS sid, CAST(value ->> 0 AS bigint) AS user_id,
        CAST(value ->> 1 AS numeric) AS version, value ->> 2 AS commitment
    FROM json_each(:sent)
) AS sent
    JOIN users ON users.id = sent.user_id
    JOIN announced_seeds ON announced_seeds.user_id = sent.user_id
WHERE users.balance_version <> sent.version OR announced_seeds.server_seed_commitment <> sent.commitment
"""


@reading()
def find_changed(sent: Sequence[SentState]) -> list[ChangedState]:
    """The sockets of these whose players' state has changed, with the new state."""
    if not sent:
        return []
    wanted = {sid: state for sid, *state in sent}
    return [ChangedState(*row) for row in execute(FIND_CHANGED, {"sent": json.dumps(wanted)})]
