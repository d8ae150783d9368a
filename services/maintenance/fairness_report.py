"""Sums of all bets over time: the coins paid for each coin wagered, and the mean by the chances.

It reads all bets on purpose, and not the daily totals: so it shows what the bets say themselves.
"""

from functools import cache

from models.db.connection import repeatable_read
from services.figures.bet_sums import PAID_BETS, BetSums, grouped
from services.maintenance.fairness_audit import intact_content
from services.shared.clock import Millis


def sums_of_days() -> dict[Millis, BetSums]:
    """Sum the bets with a wager of each day in UTC, by its beginning, in one pass over their table.

    Days without bets and openings of the free case are left out. Raises OperatorError if the snapshot of an
    opening differs from its hash.
    """
    content_of = cache(intact_content)
    days: dict[Millis, BetSums] = {}
    with repeatable_read():
        for group in grouped(PAID_BETS):
            days[group.day] = days.get(group.day, BetSums()) + group.sums(content_of)
    return dict(sorted(days.items()))
