"""The order of a player's bets in time, with battles among the others.

The nonces of other bets are a range, so their places follow without a query. A battle comes after the bet
with the nonce ``after_nonce``, and after the battles that ended before it: the j-th battle has the place
``after_nonce`` + j, from 1. In what this returns, the nonce of a battle is minus the id of the player's seat.

Everything here is to be used within ``reading()``.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from models.db.sql import execute
from services.shared.pagination import Place

COUNT_BATTLES = "SELECT COUNT(*) FROM battle_seats WHERE user_id = :user_id AND bet_id IS NOT NULL"

ALL_BATTLES = """
SELECT after_nonce, bet_id, -id FROM battle_seats WHERE user_id = :user_id AND bet_id IS NOT NULL
"""

# From the index battle_seats_in_history alone, as the count.
FIRST_BATTLES = """
SELECT -id, after_nonce FROM battle_seats
WHERE user_id = :user_id AND bet_id IS NOT NULL
ORDER BY after_nonce {direction}, bet_id {direction}
LIMIT :limit
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


def page_of_all(*, user_id: int, place: Place, total: int, battles: int, newest_first: bool) -> list[int]:
    """The nonces of one page of all bets: there are ``total``, and ``battles`` of them are battles."""
    places = place.slice(range(total, 0, -1) if newest_first else range(1, total + 1))
    if not places:
        return []
    first, last = min(places), max(places)
    nonces, before = {}, 0
    for number, nonce, after_nonce in _battles_around(user_id, first, last, total=total, battles=battles):
        if after_nonce + number < first:
            before = max(before, number)
        else:
            nonces[after_nonce + number] = nonce
    for at in range(first, last + 1):
        if at in nonces:
            before += 1
        else:
            nonces[at] = at - before
    return [nonces[at] for at in places]


def _battles_around(
    user_id: int, first: int, last: int, *, total: int, battles: int
) -> Iterator[tuple[int, int, int]]:
    """Number, nonce and ``after_nonce`` of battles, read from the nearer end of the list.

    Those with these places are among them, and the last one before these, unless there is none.
    """
    values = {"user_id": user_id}
    if total - first < last:
        values["limit"] = total - first + 2
        rows = execute(FIRST_BATTLES.replace("{direction}", "DESC"), values)
        numbers = range(battles, 0, -1)
    else:
        values["limit"] = last
        rows = execute(FIRST_BATTLES.replace("{direction}", "ASC"), values)
        numbers = range(1, battles + 1)
    # There may be fewer rows than numbers.
    return ((number, *row) for number, row in zip(numbers, rows, strict=False))


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
