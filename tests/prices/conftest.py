"""What these tests have in common: a source that they steer, a clock that they turn, an app in between."""

import io
import json
import logging

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bench.harness.price_sources import price_server
from blueprints.common.logs import JsonLines
from models.database import reading
from models.items import Item
from services import item_import
from services.prices.feed_source import FeedSource

START = 1_700_000_000_000
HOUR = 3_600_000


class Clock:
    """Stands still until a test turns it."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def forward(self, **units):
        scale = {"ms": 1, "seconds": 1000, "minutes": 60_000, "hours": HOUR}
        self.now += sum(scale[unit] * count for unit, count in units.items())


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def source():
    """A price source on a real port."""
    with price_server() as server:
        yield server


@pytest.fixture
def settings(source):
    """The settings of the app that are of interest here."""
    return {"PRICE_FEED_URL": source.url}


@pytest.fixture
def app(make_app, clock, settings):
    return make_app(clock=clock, **settings)


@pytest.fixture
def prices(app):
    """The price service of the app."""
    return app.extensions["platform"].prices


@pytest.fixture
def restart(make_app, clock, settings):
    """Builds the app anew, as another process would; its price service."""
    return lambda **changes: make_app(clock=clock, **(settings | changes)).extensions["platform"].prices


@pytest.fixture
def bound(app, prices, source):
    """Lowers the bounds of the feed; it is then asked again without a wait, too."""

    def to(**bounds):
        prices._feed.source = FeedSource(url=source.url, retry_seconds=(0, 0), **bounds)

    return to


@pytest.fixture
def add(app, clock):
    """Adds items at these prices in coins, due for a refresh now."""

    def items(prices, **row):
        document = [
            {"appid": 730, "marketHashName": name, "price": price} | row for name, price in prices.items()
        ]
        item_import.import_document(document, app_id=None, now=clock())

    return items


@pytest.fixture
def standing(app):
    """Gives the prices of all items in cents, by name."""

    def by_name():
        with reading():
            return dict(Item.select(Item.market_hash_name, Item.price_cents).tuples())

    return by_name


@pytest.fixture
def next_fetches(app):
    """Gives when each item is asked for next, by name."""

    def by_name():
        with reading():
            return dict(Item.select(Item.market_hash_name, Item.next_price_fetch_ms).tuples())

    return by_name


@pytest.fixture
def turns(prices):
    """The outcomes of all turns so far."""
    told = []
    prices.listeners.append(lambda turn: told.append(str(turn.outcome)))
    return told


@pytest.fixture
def log_lines(app):
    """Gives the lines of the price log so far."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    logging.getLogger("platform.prices").addHandler(handler)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    logging.getLogger("platform.prices").removeHandler(handler)


@pytest.fixture
def metric(client):
    """Gives the value of a metric with these labels; None when there is none."""

    def value(name, **labels):
        families = text_string_to_metric_families(client.get("/metrics").text)
        samples = [sample for family in families for sample in family.samples]
        return next((s.value for s in samples if s.name == name and s.labels == labels), None)

    return value
