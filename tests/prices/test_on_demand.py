"""Items without a price that somebody looks at: asked for at once, each once, and nobody is kept waiting."""

import threading

import pytest

from bench.harness.price_sources import dripping, feed, hung_up, market, price_server, text
from bench.harness.waiting import wait_until
from models.database import reading
from models.items import Item
from services.prices.on_demand_prices import OnDemandPrices
from tests.prices.conftest import HOUR, START


@pytest.fixture
def settings(source):
    return {"PRICE_MARKET_URL": source.url}


@pytest.fixture
def items(app):
    """Reads all items, as a view would."""

    def read():
        with reading():
            return list(Item.select().order_by(Item.id))

    return read


@pytest.fixture
def impatient(prices):
    """Requests wait for next to nothing."""
    prices._on_demand = OnDemandPrices(feed=prices._feed, market=prices._market, wait_seconds=0.05)


def shown(items):
    return [(item.market_hash_name, item.price_cents) for item in items]


def test_an_item_without_a_price_gets_one_while_the_request_waits(prices, source, add, items, standing):
    add({"None": None, "Priced": 1})
    source.answer = market("$1.50")
    looked_at = items()

    prices.refresh_missing(looked_at)

    assert shown(looked_at) == [("None", 150), ("Priced", 100)]
    assert looked_at[0].next_price_fetch_ms == START + HOUR
    assert standing() == {"None": 150, "Priced": 100}
    assert len(source.asks) == 1


def test_items_with_prices_ask_nobody(prices, source, add, items):
    add({"One": 1, "Zero": 0})

    prices.refresh_missing(items())
    prices.refresh_missing([])

    assert source.asks == []


def test_an_item_whose_price_is_its_own_is_not_asked_for(prices, source, add, items):
    add({"Own": None}, customPrice=True)

    prices.refresh_missing(items())

    assert source.asks == []


@pytest.mark.usefixtures("impatient")
def test_a_request_does_not_wait_for_a_market_that_is_slow(prices, source, add, items, standing):
    add({"None": None})
    asked, answer = threading.Event(), threading.Event()
    good = market("$1.50")

    def slowly(handler):
        asked.set()
        answer.wait(10)
        good(handler)

    source.answer = slowly
    looked_at = items()
    prices.refresh_missing(looked_at)
    before = shown(looked_at)
    answer.set()

    wait_until(lambda: standing() == {"None": 150})
    wait_until(lambda: not prices._on_demand._running)
    assert (before, asked.is_set()) == ([("None", None)], True)


def test_a_request_waits_for_an_ask_that_the_background_has_begun(prices, source, add, items):
    add({"None": None})
    asked, looking = threading.Event(), threading.Event()
    good = market("$1.50")

    def answer(handler):
        asked.set()
        looking.wait(10)
        good(handler)

    source.answer = answer
    background = threading.Thread(target=prices.run_due)
    background.start()
    asked.wait(10)
    looked_at = items()
    prices.spawn = lambda task: (threading.Thread(target=task).start(), looking.set())
    prices.refresh_missing(looked_at)
    background.join()

    assert (shown(looked_at), len(source.asks)) == ([("None", 150)], 1)


def test_20_requests_at_once_ask_once(prices, source, add, items):
    add({"None": None})
    all_here = threading.Barrier(20)
    good = market("$1.50")
    waiting = []

    def answer(handler):
        wait_until(lambda: len(waiting) == 20)
        good(handler)

    source.answer = answer
    found = []

    def look():
        looked_at = items()
        all_here.wait()
        waiting.append(1)
        prices.refresh_missing(looked_at)
        found.append(shown(looked_at))

    threads = [threading.Thread(target=look) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(source.asks) == 1
    assert found == [[("None", 150)]] * 20


@pytest.mark.parametrize("answer", [hung_up, text("<html>"), text('{"success": false}'), market("€1.00")])
def test_a_market_that_gives_no_price_breaks_nothing(prices, source, add, items, answer):
    add({"None": None})
    source.answer = answer
    looked_at = items()

    prices.refresh_missing(looked_at)

    assert shown(looked_at) == [("None", None)]


def test_an_item_that_nobody_has_a_price_for_is_not_asked_for_at_every_look(
    prices, source, clock, add, items
):
    add({"None": None})
    source.answer = text('{"success": false}')
    asks = []

    for step in (0, HOUR - 1, 1):
        clock.forward(ms=step)
        prices.refresh_missing(items())
        asks.append(len(source.asks))

    assert asks == [1, 1, 2]


def test_no_more_than_20_are_asked_for_in_a_minute(prices, source, clock, add, items):
    add({f"Item {number:02}": None for number in range(30)})
    source.answer = market("$1.50")
    asks = []

    for step in (0, 59_999, 1):
        clock.forward(ms=step)
        prices.refresh_missing(items())
        asks.append(len(source.asks))

    assert asks == [20, 20, 30]


def test_a_request_that_asks_goes_by_the_market_that_is_left_alone(prices, source, add, items):
    add({"One": None, "Two": None})
    source.answer = text("null", status=429)

    prices.refresh_missing(items())
    prices.refresh_missing(items())

    assert len(source.asks) == 1


def test_a_view_may_wait_for_prices(app, prices, source, add, items, client):
    add({"None": None})
    source.answer = market("$1.50")

    def view():
        looked_at = items()
        prices.refresh_missing(looked_at)
        return [list(pair) for pair in shown(looked_at)]

    app.add_url_rule("/probe", view_func=view)

    assert client.get("/probe").json == [["None", 150]]


@pytest.fixture
def with_feed(source, restart):
    """The price service of an app whose only source is a feed."""
    return restart(PRICE_FEED_URL=source.url, PRICE_MARKET_URL="")


def test_the_feed_may_know_the_price_of_an_item_that_is_new(with_feed, source, clock, add, items):
    source.answer = feed({"New": 150})
    with_feed.run_due()
    clock.forward(minutes=1)
    add({"New": None})
    looked_at = items()

    with_feed.refresh_missing(looked_at)

    assert shown(looked_at) == [("New", 150)]


def test_the_feed_is_not_asked_at_every_look_at_an_item_that_it_does_not_hold(with_feed, source, add, items):
    add({"None": None})
    source.answer = feed({})

    for _ in range(5):
        with_feed.refresh_missing(items())

    assert len(source.asks) == 1


@pytest.fixture
def with_both(source, restart):
    """A feed, and a market of its own; the price service of an app with both."""
    with price_server() as market_server:
        service = restart(PRICE_FEED_URL=source.url, PRICE_MARKET_URL=market_server.url)
        service.market_server = market_server
        yield service


def test_the_feed_is_not_asked_for_an_item_that_only_the_market_has_while_that_fails(
    with_both, source, clock, add, items
):
    add({"None": None})
    source.answer = feed({})
    with_both.market_server.answer = text("null", status=429)

    for _ in range(10):
        with_both.refresh_missing(items())
        clock.forward(seconds=31)

    assert len(source.asks) == 1
    assert len(with_both.market_server.asks) > 1


def test_the_feed_is_asked_early_for_an_item_that_is_newer_than_its_last_turn(
    with_both, source, clock, add, items
):
    add({"None": None})
    source.answer = feed({"New": 150})
    with_both.market_server.answer = text("null", status=429)
    with_both.refresh_missing(items())
    clock.forward(seconds=31)
    add({"New": None})
    looked_at = items()

    with_both.refresh_missing(looked_at)

    assert shown(looked_at) == [("None", None), ("New", 150)]


def test_an_end_does_not_wait_for_a_price(app, prices, source, add, items):
    add({"None": None})
    source.answer = dripping(source)
    prices.stop()

    prices.refresh_missing(items())

    assert source.asks == []
