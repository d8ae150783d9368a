"""Staff who have changed balances by much without a second person, over all players together.

A player's balance can be changed by OFFICE_FOUR_EYES_ABOVE in a day before a second person is needed. This
finds who does so with many players.
"""

from typing import Any

from peewee import fn

from models.db.connection import reading
from models.proposals import IS_PERFORMED, Proposal
from services.alarms.rule import Finding, Found
from services.shared.clock import DAY_MS, Millis, iso_date
from services.shared.money import Cents, price_text
from services.staff.money_actions import GRANTS
from settings import Settings


@reading()
def find(settings: Settings, now: Millis) -> Found:
    """The people with more than OFFICE_FOUR_EYES_ABOVE in 24 hours, one finding for each day.

    There are none while no action needs a second person.
    """
    if not settings.office_four_eyes:
        return Found()
    total = fn.SUM(fn.ABS(Proposal.amount_cents))
    players = fn.COUNT(Proposal.user.distinct())
    query: Any = Proposal.select(Proposal.decided_by, total, players, fn.MAX(Proposal.decided_at_ms))
    lately = IS_PERFORMED, Proposal.decided_at_ms > now - DAY_MS, Proposal.action.in_(GRANTS)
    query = query.where(*lately).group_by(Proposal.decided_by)
    query = query.having(total > settings.office_four_eyes_above_cents)
    return Found(
        [
            Finding(
                # Of the day of the last change, so that one evening is not found on the next day too.
                f"{name} on {iso_date(last)}",
                f"Staff: {name} has changed the balances of {number} players by"
                f" {price_text(Cents(int(cents)))} in 24 hours without a second person",
            )
            for name, cents, number, last in query.tuples()
        ]
    )
