"""Staff who have changed balances by much without a second person, over all players together.

One person can change balances by OFFICE_FOUR_EYES_ABOVE in a day before a second person is needed. This finds
who does so for days.
"""

from typing import Any

from peewee import fn

from models.db.connection import reading
from models.staff import IS_PERFORMED, Proposal
from services.alarms.rule import Concern, Found
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents, price_text
from services.staff.money_actions import GRANTS
from settings import Settings

DAYS = 7
TIMES = 5
"""How often the bound of a day is left by the sum of these days, for one alarm."""

MOST_MULTIPLES = 10
"""Alarms about one person at a time. Their text has the whole sum."""


@reading()
def find(settings: Settings, now: Millis) -> Found:
    """A concern for each person and each multiple of TIMES the bound that the person's sum is above."""
    bound = TIMES * max(settings.office_four_eyes_above_cents, 1)
    total = fn.SUM(fn.ABS(Proposal.amount_cents))
    query: Any = Proposal.select(Proposal.decided_by, total, fn.COUNT(Proposal.user.distinct()))
    lately = IS_PERFORMED, Proposal.decided_at_ms > now - DAYS * DAY_MS, Proposal.action.in_(GRANTS)
    query = query.where(*lately).group_by(Proposal.decided_by).having(total > bound)
    return Found(
        [
            Concern(
                f"{name}, {multiple} times",
                f"Staff: {name} has changed the balances of {players} players by"
                f" {price_text(Cents(int(cents)))} in {DAYS} days without a second person",
                staff=name,
            )
            for name, cents, players in query.tuples()
            for multiple in range(1, MOST_MULTIPLES + 1)
            if cents > multiple * bound
        ]
    )
