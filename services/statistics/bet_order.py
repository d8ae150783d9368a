"""The order of a player's bets in time, with battles among the others.

The nonces of other bets are a range, so their places follow without a query. A battle comes after the bet
with the nonce ``after_nonce``, and after the battles that ended before it: the j-th battle has the place
``after_nonce`` + j, from 1. In what this returns, the nonce of a battle is minus the id of the player's seat.

Everything here is to be used within ``reading()``.
"""

import json
from collections.abc import Collection, Sequence
from heapq import merge
from typing import NamedTuple

from models.db.sql import execute
from services.shared.pagination import Place

COUNT_BATTLES = "SELECT COUNT(*) FROM battle_seats WHERE user_id = :user_id AND bet_id IS NOT NULL"

ALL_BATTLES = """
SELECT after_nonce, bet_id, -id FROM battle_seats WHERE user_id = :user_id AND bet_id IS NOT NULL
"""

# From the index battle_seats_in_history alone.
BATTLES_UP_TO = """
SELECT -id, number, after_nonce + number FROM (
    SELECT id, after_nonce, ROW_NUMBER() OVER (ORDER BY after_nonce, bet_id) AS number
    FROM battle_seats WHERE user_id = :user_id AND bet_id IS NOT NULL
) AS own
WHERE after_nonce + number <= :last
ORDER BY number DESC
LIMIT :most
"""

# The index by earning has nonce and game, so no bets are fetched: see NONCE in player_lists.py.
BATTLES_AND_SOME = """
SELECT nonce FROM (
    SELECT nonce, nonce AS after_nonce, 0 AS bet_id FROM bets
    WHERE user_id = :user_id AND nonce + 0 > 0 AND game IN (SELECT key FROM {pairs}(:games) AS wanted)
    UNION ALL
    SELECT -id, after_nonce, bet_id FROM battle_seats WHERE user_id = :user_id AND bet_id IS NOT NULL
) AS own
ORDER BY after_nonce {direction}, bet_id {direction}
LIMIT :limit OFFSET :start
"""


def count_battles(user_id: int) -> int:
    """How many bets of battles the player has."""
    return int(execute(COUNT_BATTLES, {"user_id": user_id}).fetchone()[0])


class BattlePlace(NamedTuple):
    """A bet of a battle, which comes after the bet with the nonce ``after_nonce``."""

    after_nonce: int
    bet_id: int
    nonce: int


def battles_of(user_id: int) -> list[BattlePlace]:
    """The bets of battles of the player, in their order."""
    return sorted(map(BattlePlace._make, execute(ALL_BATTLES, {"user_id": user_id})))


def merged(nonces: Sequence[int], battles: Sequence[BattlePlace]) -> list[int]:
    """The nonces of other bets, in ascending order, with those of battles among them."""
    others = (BattlePlace(nonce, 0, nonce) for nonce in nonces)
    return [each.nonce for each in merge(others, battles)]


def page_of_all(*, user_id: int, place: Place, total: int, newest_first: bool) -> list[int]:
    """The nonces of one page of all bets, of which there are ``total``."""
    places = place.slice(range(total, 0, -1) if newest_first else range(1, total + 1))
    if not places:
        return []
    first, last = min(places), max(places)
    # Those of the page, and the one before them.
    values = {"user_id": user_id, "last": last, "most": len(places) + 1}
    battles = execute(BATTLES_UP_TO, values).fetchall()
    nonces = {at: nonce for nonce, _, at in battles if at >= first}
    before = next((number for _, number, at in battles if at < first), 0)
    for at in range(first, last + 1):
        if at in nonces:
            before += 1
        else:
            nonces[at] = at - before
    return [nonces[at] for at in places]


def page_of_battles_and(
    games: Collection[str], *, user_id: int, place: Place, total: int, newest_first: bool
) -> Sequence[int]:
    """The nonces of one page of the battles and the bets in these games; together there are ``total``."""
    start, end = place.bounds(total)
    # Read from the nearer end.
    is_backwards = start > total - end
    direction = "DESC" if newest_first is not is_backwards else "ASC"
    values = {
        "user_id": user_id,
        "games": json.dumps(dict.fromkeys(games, "")),
        "limit": end - start,
        "start": total - end if is_backwards else start,
    }
    text = BATTLES_AND_SOME.replace("{direction}", direction)
    nonces = [nonce for (nonce,) in execute(text, values)]
    return nonces[::-1] if is_backwards else nonces
