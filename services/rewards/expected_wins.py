"""What the house expected to win with a player's bets on each of the last days, computed when it is needed.

The nonces of a player's bets count from 1 without a gap, and rise with time. So the first bet of a period is
found by halving, without an index of its own. Bets in battles are few, and their nonces fall with time.
"""

from bisect import bisect_left

from cachetools import LRUCache, cached

from models.db.connection import reading
from models.db.sql import execute
from models.figures import THEORETICAL_LOSS_UCENTS
from models.users import User
from services.shared.clock import DAY_MS, Millis
from services.shared.locks import BuildCondition

DAYS = 7

MOST_BETS = 50_000
"""Of the bets in a period, the newest count. This bounds the time for a player with a million."""
MOST_SEATS = 10_000
"""Likewise of a player's seats in battles."""
PLAYERS_REMEMBERED = 10_000
LAST_NONCE = 2**63 - 1

_NEWEST = "SELECT MAX(nonce) FROM bets WHERE user_id = :user_id"
_TIME = "SELECT created_at_ms FROM bets WHERE user_id = :user_id AND nonce = :nonce"
_WIN = f"""
    SELECT created_at_ms, {THEORETICAL_LOSS_UCENTS} AS ucents FROM bets WHERE user_id = :user_id
"""  # noqa: S608  # a constant
_WINS = f"""(
    {_WIN} AND nonce BETWEEN :first AND :newest
    UNION ALL
    SELECT created_at_ms, ucents FROM ({_WIN} AND nonce < 0 ORDER BY nonce LIMIT {MOST_SEATS}) AS seats
) AS wins"""  # noqa: S608  # constants
_SUMS = f"""
SELECT created_at_ms / {DAY_MS}, SUM(ucents) FROM {_WINS}
WHERE created_at_ms >= :since AND created_at_ms < :until
GROUP BY 1
"""  # noqa: S608  # constants
# One statement, so that a bet of this moment is in both sums or in neither.
_SUM_BEFORE = f"""
SELECT theoretical_loss_ucents - COALESCE(
    (SELECT SUM(ucents) FROM {_WINS} WHERE created_at_ms >= :since), 0
)
FROM users WHERE id = :user_id
"""  # noqa: S608  # constants


class ExpectedWins:
    """Sums in millionths of a cent. What was before today is remembered for the day."""

    def __init__(self) -> None:
        self._of_days = cached(LRUCache(PLAYERS_REMEMBERED), condition=BuildCondition())(_of_days)
        self._before = cached(LRUCache(PLAYERS_REMEMBERED), condition=BuildCondition())(_before)

    def of_last_days(self, user_id: int, *, now: Millis) -> list[int]:
        """Of each of the seven days before today in UTC, the oldest first."""
        return self._of_days(user_id, now // DAY_MS)

    def of_today(self, user: User, *, now: Millis) -> int:
        """Of today so far: what the player's bets have added since the day began."""
        return max(user.theoretical_loss_ucents - self._before(user.id, now // DAY_MS), 0)


@reading()
def _of_days(user_id: int, today: int) -> list[int]:
    """``today`` is the number of the day since 1970."""
    days = range(today - DAYS, today)
    since, until = days.start * DAY_MS, days.stop * DAY_MS
    newest = _newest_nonce(user_id)
    first, after = (_first_nonce(user_id, time, newest) for time in (since, until))
    period = {"first": max(first, after - MOST_BETS), "newest": after - 1, "since": since, "until": until}
    found = {int(day): int(sum_) for day, sum_ in execute(_SUMS, {"user_id": user_id, **period})}
    return [found.get(day, 0) for day in days]


@reading()
def _before(user_id: int, today: int) -> int:
    """Of all bets before this day."""
    since, newest = today * DAY_MS, _newest_nonce(user_id)
    first = max(_first_nonce(user_id, since, newest), newest - MOST_BETS + 1)
    values = {"user_id": user_id, "since": since, "first": first, "newest": LAST_NONCE}
    return int(execute(_SUM_BEFORE, values).fetchone()[0])


def _newest_nonce(user_id: int) -> int:
    """0 without bets."""
    return int(execute(_NEWEST, {"user_id": user_id}).fetchone()[0] or 0)


def _first_nonce(user_id: int, since: int, newest: int) -> int:
    """The nonce of the player's first bet from this time on, or of the next one."""

    def time_of(nonce: int) -> int:
        row = execute(_TIME, {"user_id": user_id, "nonce": nonce}).fetchone()
        return int(row[0]) if row else 0

    return bisect_left(range(1, newest + 1), since, key=time_of) + 1
