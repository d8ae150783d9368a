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


USER_ID_DIGITS = 20
# Each state is one text, for want of a way to take JSON apart that both databases have: the player's id with
# its leading zeros, the version and the commitment.
FIND_CHANGED = f"""
SELECT sent.key, users.id, users.balance_cents, users.vault_cents, users.sweepstake_cents,
    users.balance_version, announced_seeds.nonce, announced_seeds.server_seed_commitment
FROM {{pairs}}(:sent) AS sent
    JOIN users ON users.id = CAST(substr(sent.value, 1, {USER_ID_DIGITS}) AS BIGINT)
    JOIN announced_seeds ON announced_seeds.user_id = users.id
WHERE substr(sent.value, {USER_ID_DIGITS + 1})
    <> users.balance_version || ' ' || announced_seeds.server_seed_commitment
"""  # noqa: S608  # constants


@reading()
def find_changed(sent: Sequence[SentState]) -> list[ChangedState]:
    """The sockets of these whose players' state has changed, with the new state."""
    if not sent:
        return []
    texts = {each.sid: f"{each.user_id:0{USER_ID_DIGITS}}{each.version} {each.commitment}" for each in sent}
    return [ChangedState(*row) for row in execute(FIND_CHANGED, {"sent": json.dumps(texts)})]
