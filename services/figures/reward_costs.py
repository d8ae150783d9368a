"""What rewards cost on each day, by kind, and what the house expected to win meanwhile.

Coins count on the day of the claim. A free opening counts on the day on which it is used, with what its case
paid on average when it was offered, whatever it has paid: so luck is not in these figures. The expected win is
that of the bets with a wager, of which rewards are a share.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from peewee import SQL, fn

from models.db.connection import reading
from models.rewards import Reward, RewardKind, RewardState
from services.figures import returns
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
    costs: dict[str, dict[str, Cents]] = {}
    # An opening without a wager lowers the mean of the revenue by what it pays on average.
    wins: dict[str, int] = {
        line.group[0]: line.figures.expected_revenue
        for line in returns.lines(since=since, until=until, groups=[Group.DAY])
    }
    for day, kind, cents, value_cents in _sums(since, until):
        costs.setdefault(day, {})[kind] = cents
        wins[day] = wins.get(day, 0) + value_cents
    return [RewardsOfDay(day, costs.get(day, {}), Cents(wins[day])) for day in sorted(wins)]


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
def _sums(since: Millis, until: Millis) -> list[tuple[str, str, Cents, int]]:
    """Day, kind, cost, and what of it free openings have cost. By the index of what has changed."""
    cost = fn.COALESCE(Reward.coins_cents, Reward.value_cents)
    sums: Any = Reward.select(
        Reward.changed_at_ms / DAY_MS,
        Reward.kind,
        fn.SUM(cost),
        fn.COALESCE(fn.SUM(Reward.value_cents), 0),
    )
    sums = sums.where(Reward.changed_at_ms.between(since, until - 1), Reward.state.in_(GIVEN))
    return [
        (iso_date(Millis(day * DAY_MS)), kind, Cents(int(cents)), int(value_cents))
        for day, kind, cents, value_cents in sums.group_by(SQL("1"), SQL("2")).tuples()
    ]
