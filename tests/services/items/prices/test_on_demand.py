"""A request for items without a price waits up to three seconds while the background task asks for them."""

import threading
from contextlib import contextmanager, suppress

import pytest

from models.db.connection import reading
from models.items import Item
from services.items.prices import service
from services.items.prices.service import Stopped
from tests.harness.price_sources import feed, market, text
from tests.harness.waiting import wait_until
from tests.services.items.prices.conftest import HOUR, START
from tests.support.at_once import all_at_once


@pytest.fixture
def settings(source):
    return {"PRICE_MARKET_URL": source.url}


@pytest.fixture
def unpriced(app):
    """Returns the ids of all items without a price, as a view would."""

    def read():
        with reading():
            return list(Item.select(Item.id).where(Item.price_cents.is_null()).scalars())

    return read


@contextmanager
def background_task(prices):
    """Runs rounds as the background task does, until the block ends."""

    woken = threading.Event()

    def run():
        with suppress(Stopped):
            while True:
                woken.wait(prices.round_seconds)
                woken.clear()
                prices.run_due()

    prices.on_wanted.append(woken.set)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        prices.stop()
        woken.set()
        thread.join()


@pytest.fixture
def running(prices):
    with background_task(prices):
        yield


@pytest.fixture
def wanted(prices, running, unpriced, stored_prices):
    """Asks for all missing prices. Returns the prices of all items that the request then finds, by name."""

    def request():
        prices.refresh_missing(unpriced())
        return stored_prices()

    return request


def test_an_unpriced_item_gets_its_price_during_the_request(source, add, wanted, next_fetches):
    add({"None": None}, nextPriceFetch=START)
    source.answer = market("$1.50")

    assert wanted() == {"None": 150}
    assert next_fetches()["None"] == START + HOUR


def test_a_request_does_not_wait_for_a_slow_market(source, add, wanted, stored_prices, monkeypatch):
    monkeypatch.setattr(service, "WAIT_SECONDS", 0.05)
    add({"None": None})
    answer = threading.Event()
    good = market("$1.50")

    def slowly(request):
        answer.wait(10)
        return good(request)

    source.answer = slowly
    before = wanted()
    answer.set()

    wait_until(lambda: stored_prices() == {"None": 150})
    assert before == {"None": None}


def test_20_concurrent_requests_ask_the_market_once(prices, source, add, wanted):
    add({"None": None})
    good = market("$1.50")
    waiting = []

    def answer(request):
        wait_until(lambda: len(waiting) == 20)
        return good(request)

    source.answer = answer

    def look():
        waiting.append(1)
        return wanted()

    found = all_at_once([look] * 20)

    assert len(source.requests) == 1
    assert found == [{"None": 150}] * 20


def test_an_item_unknown_to_the_market_is_asked_rarely(source, clock, add, wanted):
    add({"None": None})
    source.answer = text('{"success": false}')

    wanted()
    clock.advance(ms=HOUR - 1)
    wanted()
    asked_in_the_first_period = len(source.requests)
    clock.advance(ms=1)
    wanted()

    assert (asked_in_the_first_period, len(source.requests)) == (1, 2)


@pytest.mark.parametrize("settings", [{}])
def test_a_new_item_gets_its_feed_price_during_the_request(restart, source, add, unpriced, stored_prices):
    prices = restart(PRICE_FEED_URL=source.url)
    source.answer = feed({"New": 150})
    prices.run_due()
    add({"New": None})

    with background_task(prices):
        prices.refresh_missing(unpriced())

    assert stored_prices() == {"New": 150}


@pytest.fixture
def connect(prices, another):
    """Builds another process, which hears this one's signals and the other way round."""

    def process():
        other = another()
        one, two = prices._signals, other._signals
        one.publish = lambda name, message: [hear(message) for hear in two._handlers[name]]
        two.publish = lambda name, message: [hear(message) for hear in one._handlers[name]]
        return other

    return process


def test_a_request_elsewhere_waits_until_the_leader_has_asked(
    prices, running, connect, source, add, unpriced, stored_prices
):
    add({"None": None})
    source.answer = market("$1.50")
    other = connect()
    prices._lease.acquire()
    other.on_wanted.append(lambda: None)

    other.refresh_missing(unpriced())

    assert stored_prices() == {"None": 150}
    # The leader has said that it asked.
    assert other._wanted == set()


def test_a_request_elsewhere_stops_waiting_when_signals_are_lost(
    prices, running, another, source, add, unpriced, monkeypatch
):
    monkeypatch.setattr(service, "WAIT_SECONDS", 0.05)
    add({"None": None})
    source.answer = market("$1.50")
    prices._lease.acquire()
    other = another()
    other.on_wanted.append(lambda: None)

    other.refresh_missing(unpriced())

    assert other._wanted == set(unpriced())
