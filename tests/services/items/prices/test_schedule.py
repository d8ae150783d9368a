"""When the feed is refreshed: on time, and less often while it fails."""

import itertools

import pytest

from tests.harness.price_sources import feed, text
from tests.services.items.prices.conftest import HOUR


@pytest.fixture
def settings(request, source):
    """An hour between two refreshes, unless the test gives another number of seconds."""
    return {"PRICE_FEED_URL": source.url, "PRICE_REFRESH_SECONDS": str(getattr(request, "param", 3600))}


def test_the_feed_is_refreshed_at_start_and_hourly(prices, source, clock, add, stored_prices):
    add({"One": 1})
    source.answer = feed({"One": 150})
    asks = []

    for step in (0, 0, HOUR - 1, 1):
        clock.advance(ms=step)
        prices.run_due()
        asks.append(len(source.requests))

    assert asks == [1, 1, 1, 2]
    assert stored_prices() == {"One": 150}


def test_a_restart_keeps_the_time_of_the_next_refresh(prices, source, clock, restart):
    source.answer = feed({})
    prices.run_due()
    again = restart()

    clock.advance(minutes=59)
    again.run_due()
    early = len(source.requests)
    clock.advance(minutes=1)
    again.run_due()

    assert (early, len(source.requests)) == (1, 2)


def test_a_clock_step_back_neither_stops_nor_repeats_refreshes(prices, source, clock):
    source.answer = feed({})
    clock.advance(hours=1000)
    asks = []

    for milliseconds in (0, -1000 * HOUR, -60_000):
        clock.advance(ms=milliseconds)
        prices.run_due()
        asks.append(len(source.requests))

    assert asks == [1, 2, 2]


@pytest.mark.parametrize("failing", ["PRICE_FEED_URL", "PRICE_MARKET_URL"])
def test_a_failing_source_is_asked_less_often_within_bounds(restart, failing, source, clock, add):
    add({"One": 1, "Two": 1})
    prices = restart(**{"PRICE_FEED_URL": "", failing: source.url})
    source.answer = text("null", status=429)
    asked_at = []

    for second in range(0, 3600, 30):
        before = len(source.requests)
        prices.run_due()
        asked_at += [second] * (len(source.requests) - before)
        clock.advance(seconds=30)

    gaps = [later - earlier for earlier, later in itertools.pairwise(asked_at)]
    assert gaps == [30, 60, 120, 240, 480, 600, 600, 600, 600]


def test_a_pause_outlives_a_restart_and_ends_with_success(prices, source, clock, restart):
    source.answer = text("[]")
    for _ in range(2):
        prices.run_due()
        clock.advance(seconds=30)
    again = restart()
    again.run_due()
    failures = [state.failures for state in again.states()]
    source.answer = feed({})
    clock.advance(minutes=1)
    again.run_due()

    assert (len(source.requests), failures) == (3, [2])
    assert [state.failures for state in again.states()] == [0]
