"""The net result of a player over the lifetime: what bets have paid less what they cost, by day.

The last point is that of the sums in ``users``; the days before it come from the player's newest bets. So
the curve of a player with more than MOST_BETS begins later, and is as right.
"""

from typing import NamedTuple

from models.db.connection import repeatable_read
from models.db.sql import execute
from models.users import User
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents

MOST_BETS = 20_000
"""Of each kind: those with a nonce, and seats in battles."""

# Both read the index of the player's nonces from one end. A seat in a battle has minus its id there.
NEWEST = f"""
SELECT day * {DAY_MS}, CAST(SUM(result) AS BIGINT), COUNT(*) FROM (
    SELECT created_at_ms / {DAY_MS} AS day, payout_cents - wager_cents AS result
    FROM bets WHERE user_id = :user_id AND nonce {{}} LIMIT :most
) AS newest GROUP BY day ORDER BY day
"""  # noqa: S608  # constants
KINDS = ("> 0 ORDER BY nonce DESC", "< 0 ORDER BY nonce")


class DayResult(NamedTuple):
    """What the player had won in all at the end of a day; below 0 what was lost."""

    day: Millis
    total: Cents


class Curve(NamedTuple):
    """A point for each day from the first bet on; ``is_whole``: whether that is the first of all."""

    points: list[DayResult]
    is_whole: bool


@repeatable_read(within_limit=True)
def curve(*, user_id: int, most: int = MOST_BETS) -> Curve:
    """The net result of the player at the end of each day."""
    player = User.get_by_id(user_id)
    changes: dict[int, int] = {}
    begins = 0
    for kind in KINDS:
        found = execute(NEWEST.format(kind), {"user_id": user_id, "most": most}).fetchall()
        if sum(bets for _, _, bets in found) >= most:
            # Of the first day there may be more bets.
            begins = max(begins, found[0][0] + DAY_MS)
        for day, cents, _ in found:
            changes[day] = changes.get(day, 0) + int(cents)
    shown = {day: cents for day, cents in changes.items() if day >= begins}
    total = player.earned_cents - player.wagered_cents - sum(shown.values())
    points = []
    for day in range(min(shown), max(shown) + DAY_MS, DAY_MS) if shown else ():
        total += shown.get(day, 0)
        points.append(DayResult(Millis(day), Cents(total)))
    return Curve(points, is_whole=not begins)
