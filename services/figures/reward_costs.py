"""What rewards cost on each day, by kind, and what the house expected to win meanwhile.

Coins count on the day of the claim. A free opening counts on the day on which it is used, with what its
case paid on average when it was offered, whatever it has paid: so luck is not in these figures. The expected
win is that of the bets with a wager, of which rewards are a share.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from peewee import SQL, fn

from models.db.connection import reading
from models.rewards import Reward, RewardKind, RewardState
from services.figures import returns
from services.figures.bet_figures import BetFigures
from services.figures.returns import Group
from services.shared.clock import DAY_MS, CalendarPeriod, Millis, iso_date
from services.shared.money import NO_COINS, Cents

GIVEN = (RewardState.CLAIMED, RewardState.USED)


class RewardsOfDay(NamedTuple):
    """The rewards of a day in UTC, or of several."""

    day: str
    """The date in ISO 8601; empty for several days."""
    costs: Mapping[str, Cents]
    """By kind, of those that there were."""
    expected_win: Cents

    @property
    def cost(self) -> Cents:
        return Cents(sum(self.costs.values()))

    @property
    def share(self) -> float | None:
        """Of the expected win; None if there is none."""
        return self.cost / self.expected_win if self.expected_win > 0 else None


def by_day(since: Millis, until: Millis) -> list[RewardsOfDay]:
    """Of the days from ``since`` to before ``until`` that have rewards or bets, in their order."""
    lines = returns.lines(since=since, until=until, groups=[Group.DAY])
    wins = {line.group[0]: _expected_win(line.figures.paid_for) for line in lines}
    costs: dict[str, dict[str, Cents]] = {}
    for day, kind, cents in _sums(since, until):
        costs.setdefault(day, {})[kind] = cents
    days = sorted(wins.keys() | costs.keys())
    return [RewardsOfDay(day, costs.get(day, {}), wins.get(day, NO_COINS)) for day in days]


def _expected_win(bets: BetFigures) -> Cents:
    return Cents(round(bets.wagered - bets.expected))


def total(days: list[RewardsOfDay]) -> RewardsOfDay:
    """Of all days together."""
    costs = {
        str(kind): Cents(sum(each.costs.get(kind, NO_COINS) for each in days))
        for kind in RewardKind
        if any(kind in each.costs for each in days)
    }
    return RewardsOfDay("", costs, Cents(sum(each.expected_win for each in days)))


def of_last_days(days: int, *, now: Millis) -> RewardsOfDay:
    """Of so many days, the last of which is today so far."""
    end = Millis(CalendarPeriod.DAY.start(now) + DAY_MS)
    return total(by_day(Millis(end - days * DAY_MS), end))


@reading()
def _sums(since: Millis, until: Millis) -> list[tuple[str, str, Cents]]:
    """Day, kind and cost. By the index of what has changed."""
    cost = fn.SUM(fn.COALESCE(Reward.coins_cents, Reward.value_cents))
    sums: Any = Reward.select(Reward.changed_at_ms / DAY_MS, Reward.kind, cost)
    sums = sums.where(Reward.changed_at_ms.between(since, until - 1), Reward.state.in_(GIVEN))
    return [
        (iso_date(Millis(day * DAY_MS)), kind, Cents(int(cents)))
        for day, kind, cents in sums.group_by(SQL("1"), SQL("2")).tuples()
    ]
