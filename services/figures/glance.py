"""A day at a glance: who played, who is new, what was paid in and out, and what the house has won."""

from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from peewee import fn

from models.audit_trail import AuditEvent
from models.bets import Bet
from models.db.connection import reading
from models.payments import PaymentType
from services.audit_trail.events import AuditEventType
from services.figures import payments_by_method, returns, reward_costs
from services.shared.clock import DAY_MS, WEEK_MS, CalendarPeriod, Millis
from services.shared.money import Cents

FRESH_MS = 5_000
"""How old the figures of a day that is not over may be: many people may look at them at once."""

LATE_MS = 10 * 60_000
"""The public log and payments of a day may come so much later."""

DAYS_IN_MEMORY = 16


@dataclass(frozen=True)
class DayFigures:
    """The figures of one day, by its beginning."""

    day: Millis
    taken_at: Millis
    players: int
    """With at least one bet."""
    new_players: int
    deposits: Cents
    withdrawals: Cents
    revenue: Cents
    """Wagers less payouts."""
    rewards: Cents
    """What rewards have cost."""

    def may_change(self, now: Millis) -> bool:
        """Whether they must be taken again."""
        return self.taken_at < self.day + DAY_MS + LATE_MS and not 0 <= now - self.taken_at < FRESH_MS


class Glance:
    """Takes the figures of days, and keeps those of the last ones."""

    def __init__(self) -> None:
        self._taken: LRUCache[Millis, DayFigures] = LRUCache(DAYS_IN_MEMORY)

    def today_and_a_week_ago(self, now: Millis) -> tuple[DayFigures, DayFigures]:
        """Those of today so far, and of all of the same day of the week before."""
        today = CalendarPeriod.DAY.start(now)
        return self._of(today, now), self._of(Millis(today - WEEK_MS), now)

    def _of(self, day: Millis, now: Millis) -> DayFigures:
        found = self._taken.get(day)
        if found is None or found.may_change(now):
            found = self._taken[day] = take(day, now=now)
        return found


@reading()
def take(day: Millis, *, now: Millis) -> DayFigures:
    """The figures of the day that begins at this time."""
    end = Millis(day + DAY_MS)
    paid = {str(type_): 0 for type_ in PaymentType}
    for each in payments_by_method.by_day(day, end):
        paid[each.type] += each.amount
    # By the index of the live bets, which has no more than this.
    played: Any = Bet.select(fn.COUNT(Bet.user.distinct())).where(Bet.proof_due_at_ms.between(day, end - 1))
    is_new = AuditEvent.what == AuditEventType.ACCOUNT_CREATED, AuditEvent.at_ms.between(day, end - 1)
    return DayFigures(
        day=day,
        taken_at=now,
        players=int(played.scalar()),
        new_players=AuditEvent.select().where(*is_new).count(),
        deposits=Cents(paid[PaymentType.DEPOSIT]),
        withdrawals=Cents(paid[PaymentType.WITHDRAWAL]),
        revenue=returns.total(returns.lines(since=day, until=end, groups=[])).revenue,
        rewards=reward_costs.total(reward_costs.by_day(day, end)).cost,
    )
