"""Sums of all bets over time: the coins paid for each coin wagered, and the mean by the chances.

It reads all bets on purpose, and not the daily figures: so it shows what the bets say themselves.
"""

from functools import cache

from models.db.connection import repeatable_read
from services.figures.bet_figures import PAID_BETS, BetFigures, grouped
from services.maintenance.fairness_audit import intact_content
from services.shared.clock import Millis


def figures_of_days() -> dict[Millis, BetFigures]:
    """Sum the bets with a wager of each day in UTC, by its beginning, in one pass over their table.

    Days without bets and openings of the free case are left out. Raises Refusal if the snapshot of an
    opening differs from its hash.
    """
    content_of = cache(intact_content)
    days: dict[Millis, BetFigures] = {}
    with repeatable_read():
        for group in grouped(PAID_BETS):
            days[group.day] = days.get(group.day, BetFigures()) + group.sums(content_of)
    return dict(sorted(days.items()))
