"""With a feed and a market, an imported item has its price within a minute, in every order of events."""

import itertools

import pytest

from bench.harness.price_sources import feed, market, price_server, text
from models.db.connection import writing
from models.items import Item
from tests.services.prices.conftest import HOUR

pytestmark = pytest.mark.slow

IN_FEED = {"One": 150, "Two": 30}
BEFORE = [(), ("load", "restart"), ("restart", "load")]
"""What happens before the import."""

DOWN_SECONDS = [0, 300]
"""How long the feed has been down when the items are imported; ten seconds later it is up."""


@pytest.fixture
def market_source():
    with price_server() as server:
        yield server


@pytest.fixture
def settings(source, market_source):
    return {"PRICE_FEED_URL": source.url, "PRICE_MARKET_URL": market_source.url}


def slow(answer, clock):
    """An answer that takes nine seconds."""

    def after_nine_seconds(handler):
        clock.advance(seconds=9)
        answer(handler)

    return after_nine_seconds


@pytest.fixture(params=["empty", "slow", "refuses", "is away"])
def market_answer(request, clock):
    return {
        "empty": text('{"success": false}'),
        "slow": slow(market("$9.00"), clock),
        "refuses": text("null", status=429),
        "is away": text("", status=404),
    }[request.param]


@pytest.fixture
def start(restart, source, market_source):
    """Builds the service anew, as after a restart; ``number`` tells the orders of events apart."""

    def service(number):
        return restart(
            PRICE_FEED_URL=f"{source.url}?{number}", PRICE_MARKET_URL=f"{market_source.url}?{number}"
        )

    return service


@pytest.fixture
def seconds_to_price(start, source, clock, add, stored_prices):
    """Plays one order of events. Returns after how many seconds the imported items have their prices."""

    def play(number, before, down_seconds):
        with writing():
            Item.delete().execute()
        clock.advance(hours=2)
        source.answer = text("", status=404) if down_seconds else feed(IN_FEED)
        add(dict.fromkeys(["Not in the feed", "Nor this one"]))
        prices = start(number)
        for event in before:
            if event == "restart":
                prices = start(number)
            else:
                prices.run_due()
        for _ in range(0, down_seconds, 10):
            clock.advance(seconds=10)
            prices.run_due()
        add(dict.fromkeys(IN_FEED))
        imported_at = clock()
        while not IN_FEED.items() <= stored_prices().items() and clock() - imported_at < HOUR:
            prices.run_due()
            clock.advance(seconds=5)
            if clock() - imported_at >= 10_000:
                source.answer = feed(IN_FEED)
        return (clock() - imported_at) / 1000

    return play


def test_an_imported_item_has_its_price_within_a_minute(seconds_to_price, market_source, market_answer):
    market_source.answer = market_answer
    plays = itertools.product(BEFORE, DOWN_SECONDS)

    late = {
        (before, down): seconds
        for number, (before, down) in enumerate(plays)
        if (seconds := seconds_to_price(number, before, down)) > 60
    }

    assert late == {}
