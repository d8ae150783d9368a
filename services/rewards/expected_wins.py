"""What the house expected to win with a player's bets on each of the last days, computed when it is needed.

The nonces of a player's bets count from 1 without a gap, and rise with time. So the first bet of a period is
found by halving, without an index of its own. Bets in battles are few, and their nonces fall with time.
"""

from bisect import bisect_left

from cachetools import LRUCache, cached

from models.db.connection import reading
from models.db.sql import execute
from models.figures import THEORETICAL_LOSS_UCENTS
from services.shared.clock import DAY_MS, Millis
from services.shared.locks import BuildCondition

DAYS = 7

MOST_BETS = 50_000
"""Of the bets in a period, the newest count. This bounds the time for a player with a million."""
MOST_SEATS = 10_000
"""Likewise of a player's seats in battles."""
PLAYERS_REMEMBERED = 10_000
TODAY_MS = 30_000
"""How long a sum of today is remembered, since a page asks for it at each load."""

_NEWEST = "SELECT MAX(nonce) FROM bets WHERE user_id = :user_id"
_TIME = "SELECT created_at_ms FROM bets WHERE user_id = :user_id AND nonce = :nonce"
_WIN = f"""
    SELECT created_at_ms, {THEORETICAL_LOSS_UCENTS} AS ucents FROM bets WHERE user_id = :user_id
"""  # noqa: S608  # a constant
_SUMS = f"""
SELECT created_at_ms / {DAY_MS}, SUM(ucents) FROM (
    {_WIN} AND nonce BETWEEN :first AND :newest
    UNION ALL
    SELECT created_at_ms, ucents FROM ({_WIN} AND nonce < 0 ORDER BY nonce LIMIT {MOST_SEATS}) AS seats
) AS wins
WHERE created_at_ms >= :since AND created_at_ms < :until
GROUP BY 1
"""  # noqa: S608  # constants


class ExpectedWins:
    """Sums in millionths of a cent. Those of whole days are remembered for the day, of today for a moment."""

    def __init__(self) -> None:
        self._of_days = cached(LRUCache(PLAYERS_REMEMBERED), condition=BuildCondition())(_of_days)
        self._of_today = cached(LRUCache(PLAYERS_REMEMBERED), condition=BuildCondition())(_of_today)

    def of_last_days(self, user_id: int, *, now: Millis) -> list[int]:
        """Of each of the seven days before today in UTC, the oldest first."""
        return self._of_days(user_id, now // DAY_MS)

    def of_today(self, user_id: int, *, now: Millis) -> int:
        """Of today so far, as it was at most ``TODAY_MS`` ago."""
        return self._of_today(user_id, now // TODAY_MS)


def _of_days(user_id: int, today: int) -> list[int]:
    """``today`` is the number of the day since 1970."""
    first = today - DAYS
    found = _sums(user_id, since=first * DAY_MS, until=today * DAY_MS)
    return [found.get(day, 0) for day in range(first, today)]


def _of_today(user_id: int, moment: int) -> int:
    """``moment`` is the number of the ``TODAY_MS`` since 1970."""
    today = moment * TODAY_MS // DAY_MS
    return _sums(user_id, since=today * DAY_MS, until=(today + 1) * DAY_MS).get(today, 0)


@reading()
def _sums(user_id: int, *, since: int, until: int) -> dict[int, int]:
    """The sums of the days from ``since`` to before ``until``, by the number of the day since 1970."""
    (newest,) = execute(_NEWEST, {"user_id": user_id}).fetchone()
    if newest is None:
        return {}

    def time_of(nonce: int) -> int:
        row = execute(_TIME, {"user_id": user_id, "nonce": nonce}).fetchone()
        return int(row[0]) if row else 0

    nonces = range(1, newest + 1)
    first, after = (bisect_left(nonces, at, key=time_of) + 1 for at in (since, until))
    period = {"first": max(first, after - MOST_BETS), "newest": after - 1, "since": since, "until": until}
    return {int(day): int(sum_) for day, sum_ in execute(_SUMS, {"user_id": user_id, **period})}
