"""Limits of deposits: they change as the others do, and concern no bet."""

import pytest

from models.db.connection import reading
from models.users import User
from services.limits import deposit_limits
from services.limits.limits import LimitReached
from services.shared.clock import CalendarPeriod
from services.shared.money import Cents
from tests.blueprints.limits.conftest import DAY_MS, NOW

MIDNIGHT = 1_795_392_000_000
DECEMBER = MIDNIGHT + 8 * DAY_MS

DAY, WEEK, MONTH = CalendarPeriod


def test_a_bet_is_not_affected(put, spins_of, player):
    for period in CalendarPeriod:
        put(0, "deposit", period)

    assert spins_of(player)(1)["status"] is True


@pytest.fixture
def check(player):
    """Compares a deposit in cents with the player's limits; the refusal, or None."""

    def check(amount, **sums):
        with reading():
            user = User.get_by_id(player.id)
        since = {period.start(NOW): Cents(sums.get(period, 0)) for period in CalendarPeriod}
        try:
            deposit_limits.check(user, amount=Cents(amount), now=NOW, sum_since=since.__getitem__)
        except LimitReached as refusal:
            return refusal.limit, refusal.period, refusal.resets_at
        return None

    return check


def test_the_shortest_period_whose_limit_is_exceeded_is_named(put, check):
    for period, value in ((MONTH, 30), (WEEK, 20), (DAY, 10)):
        put(value, "deposit", period)

    assert check(1000) is None
    assert check(5000) == ("deposit", DAY, MIDNIGHT)
    assert check(1000, week=1001, month=2001) == ("deposit", WEEK, MIDNIGHT)
    assert check(1000, week=1000, month=2001) == ("deposit", MONTH, DECEMBER)
