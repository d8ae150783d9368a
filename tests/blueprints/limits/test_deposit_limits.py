"""Limits of deposits: they change as the others do, and concern no bet."""

import pytest

from models.db.connection import reading
from models.users import User
from services.limits import deposit_limits
from services.limits.errors import LimitReached
from services.shared.clock import CalendarPeriod
from services.shared.money import Cents
from tests.blueprints.limits.conftest import DAY_MS, NO_LIMITS, NOW

MIDNIGHT = 1_795_392_000_000
DECEMBER = MIDNIGHT + 8 * DAY_MS

DAY, WEEK, MONTH = CalendarPeriod


@pytest.mark.regulation("RTS 12D: lower now, higher later")
def test_a_lower_limit_counts_at_once_and_a_higher_one_once_confirmed(put, limits, confirm, clock):
    put(50, "deposit", "week")
    assert put(40, "deposit", "week")[1]["deposit"] == NO_LIMITS | {"week": 40}

    for before, value in ((40, 60), (60, None)):
        _, pending = put(value, "deposit", "week")

        assert (pending["kind"], pending["period"], pending["value"]) == ("deposit", "week", value)
        assert limits()["pending"] == [pending]
        clock.now += DAY_MS - 1
        assert confirm(pending) == (400, {"error": "Too early"})
        assert limits()["deposit"]["week"] == before
        clock.now += 1
        assert confirm(pending)[1]["deposit"]["week"] == value


def test_a_lower_limit_cancels_only_the_request_of_its_kind(put, limits):
    put(50, "wager")
    put(50, "deposit")
    _, other = put(60, "wager")
    put(60, "deposit")

    put(49, "deposit")

    assert limits()["pending"] == [other]
    assert (limits()["wager"]["day"], limits()["deposit"]["day"]) == (50, 49)


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


def test_without_a_deposit_limit_any_deposit_is_allowed(put, check):
    put(0, "wager")
    put(0, "loss")

    assert check(10**11, day=10**11, week=10**11, month=10**11) is None


@pytest.mark.regulation("RTS 12B: kinds of limits")
def test_a_limit_can_be_reached_and_not_exceeded(put, check):
    put(20, "deposit", "week")

    assert check(1500, day=10**6, week=500, month=10**6) is None
    assert check(1501, week=500) == ("deposit", WEEK, MIDNIGHT)
    put(0, "deposit", "month")
    assert check(1) == ("deposit", MONTH, DECEMBER)


def test_the_shortest_period_whose_limit_is_exceeded_is_named(put, check):
    for period, value in ((MONTH, 30), (WEEK, 20), (DAY, 10)):
        put(value, "deposit", period)

    assert check(1000) is None
    assert check(5000) == ("deposit", DAY, MIDNIGHT)
    assert check(1000, week=1001, month=2001) == ("deposit", WEEK, MIDNIGHT)
    assert check(1000, week=1000, month=2001) == ("deposit", MONTH, DECEMBER)
