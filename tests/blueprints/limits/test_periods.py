"""Any limits, and bets at any times around the ends of days, weeks and months, against a simple model."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.harness.players import create_player
from models.bets import Bet
from services.limits import limits
from services.limits.errors import LimitReached
from services.limits.limits import Limit
from services.upgrader.spin import SpinRequest
from tests.support.apps import ITEM

BOUNDARIES = [
    datetime(2026, 11, 23, tzinfo=UTC),  # a Monday
    datetime(2026, 12, 1, tzinfo=UTC),  # a Tuesday
    datetime(2027, 1, 1, tzinfo=UTC),  # a Friday
    datetime(2027, 2, 1, tzinfo=UTC),  # a Monday
    datetime(2028, 3, 1, tzinfo=UTC),  # after 29 February
]
STEPS = [
    timedelta(milliseconds=1),
    timedelta(minutes=1),
    timedelta(hours=23),
    timedelta(days=1),
    timedelta(days=6),
]
LIMITS = [Limit(kind, period) for kind in ("wager", "loss") for period in ("day", "week", "month")]

times = st.tuples(st.sampled_from(BOUNDARIES), st.sampled_from([-1, 0, 1]), st.sampled_from(STEPS))


def milliseconds(at):
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def period_of(period, at):
    """The first day of the period and of the next."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        return midnight, midnight + timedelta(days=1)
    if period == "week":
        monday = midnight - timedelta(days=midnight.weekday())
        return monday, monday + timedelta(days=7)
    first = midnight.replace(day=1)
    return first, (first + timedelta(days=32)).replace(day=1)


def expected_refusal(values, bets, at, wager):
    """The first limit that the bet exceeds; None if it exceeds none."""
    for limit, value in values.items():
        start, end = period_of(limit.period, at)
        inside = [(staked, paid) for when, staked, paid in bets if start <= when < end]
        used = sum(staked - (paid if limit.kind == "loss" else 0) for staked, paid in inside)
        if value is not None and used + wager > value:
            return limit.kind, limit.period, milliseconds(end)
    return None


@pytest.fixture
def play(app, add_item):
    """Plays a spin at a time for an item of ten coins; its payout in cents, or the limit that refused it."""
    add_item(price=10)
    upgrader = app.extensions["services"].upgrader

    def play(player, at, wager):
        request = SpinRequest(amount=wager / 100, item=ITEM)
        try:
            played = upgrader.play(user_id=player.id, request=request, clock=lambda: milliseconds(at))
        except LimitReached as refusal:
            return refusal.limit, str(refusal.period), refusal.resets_at
        bet: Bet = played.bet
        return bet.payout_cents

    return play


@pytest.mark.regulation("RTS 12B: kinds of limits")
@pytest.mark.one_process
def test_a_bet_is_refused_exactly_when_it_exceeds_a_limit(app, play):
    names = count()

    @settings(max_examples=10, suppress_health_check=list(HealthCheck), database=None)
    @given(
        values=st.lists(st.none() | st.integers(0, 1500), min_size=6, max_size=6),
        moments=st.lists(times, min_size=1, max_size=12),
        wagers=st.lists(st.integers(1, 600), min_size=12, max_size=12),
    )
    def check(values, moments, wagers):
        player = create_player(app, f"player-{next(names)}", coins=10_000)
        by_limit = dict(zip(LIMITS, values, strict=True))
        for limit, value in by_limit.items():
            limits.lower(user_id=player.id, limit=limit, value=value, now=0)
        bets = []
        for at, wager in zip(
            sorted(base + sign * step for base, sign, step in moments), wagers, strict=False
        ):
            expected = expected_refusal(by_limit, bets, at, wager)
            answer = play(player, at, wager)
            if expected is not None:
                assert answer == expected
            else:
                assert isinstance(answer, int)
                bets.append((at, wager, answer))

    check()
