"""Fixtures of the price tests: a source with chosen answers, a clock, and an app."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from models.db.connection import reading, writing
from models.items import Item
from models.processes import Lease
from services.items.prices import feed, market, service
from tests.harness.players import import_prices
from tests.harness.price_sources import price_server
from tests.harness.spins import Clock

START = 1_700_000_000_000
HOUR = 3_600_000


@pytest.fixture(autouse=True)
def long_wait(monkeypatch):
    """On a busy machine an answer may take longer than three seconds."""
    monkeypatch.setattr(service, "WAIT_SECONDS", 60.0)


@pytest.fixture
def clock():
    return Clock(START)


@pytest.fixture
def source():
    """A price source on a real port."""
    with price_server() as server:
        yield server


@pytest.fixture
def settings(source):
    """The settings that the test's app has beside the defaults."""
    return {"PRICE_FEED_URL": source.url}


@pytest.fixture
def prices(app):
    """The price service of the app."""
    return app.extensions["services"].prices


@pytest.fixture
def another(make_app, clock, settings):
    """Builds a second app, as another process would. Returns its price service."""
    return lambda **changes: make_app(clock=clock, **(settings | changes)).extensions["services"].prices


@pytest.fixture
def restart(prices, another):
    """Builds the app again after the earlier one has stopped. Returns its price service."""
    running = [prices]

    def again(**changes):
        running[-1].release()
        running.append(another(**changes))
        return running[-1]

    return again


@pytest.fixture
def end_lease(app):
    """Ends the lease of a process that has not renewed it, as time would."""

    def end():
        with writing():
            Lease.update(until_ms=1).execute()

    return end


@pytest.fixture
def limit(monkeypatch):
    """Lowers the limits on what a source may send and how long it may take."""

    def to(*, max_bytes=None, seconds=None):
        for module in (feed, market):
            if max_bytes:
                monkeypatch.setattr(module, "MAX_BYTES", max_bytes)
            if seconds:
                monkeypatch.setattr(module, "TIMEOUT_SECONDS", seconds)

    return to


@pytest.fixture
def add(app, clock):
    """Imports items at these prices in coins, due for a refresh now."""
    return lambda prices, **row: import_prices(prices, now=clock(), **row)


def by_name(column):
    """A fixture: returns this column of all items, by their names."""

    @pytest.fixture
    def values(app):
        with_names = Item.select(Item.market_hash_name, column).tuples()
        return reading()(lambda: dict(with_names.clone()))

    return values


stored_prices = by_name(Item.price_cents)
"""In cents."""

next_fetches = by_name(Item.next_price_fetch_ms)
"""When each item is refreshed next."""


@pytest.fixture
def outcomes(prices):
    """The outcomes of all refreshes so far."""
    seen = []
    prices.listeners.append(lambda result: seen.append(str(result.outcome)))
    return seen


@pytest.fixture
def metric(client):
    """Returns the value of a metric with these labels, or None."""

    def value(name, **labels):
        families = text_string_to_metric_families(client.get("/metrics").text)
        samples = [sample for family in families for sample in family.samples]
        return next((s.value for s in samples if s.name == name and s.labels == labels), None)

    return value


@pytest.fixture
def log_lines(log_lines):
    """Gives the lines of the price log so far."""
    return lambda: [line for line in log_lines() if line["logger"] == "platform.prices"]
