"""The market: single items, at most 20 a minute in all, for items that the feed does not contain."""

import pytest

from tests.harness.price_sources import cut_off, document, market, price_server, text
from tests.harness.servers import hang_up
from tests.services.items.prices.conftest import HOUR, START

NO_SUCH_ITEM = text('{"success": false}', status=500)


@pytest.fixture
def settings(source):
    return {"PRICE_MARKET_URL": source.url + "/?key=1"}


def asked(source):
    return [request.args["market_hash_name"] for request in source.requests]


def test_the_market_is_asked_by_game_and_name(prices, source, add, stored_prices, next_fetches):
    add({"★ Karambit & Co | 50% +1": 2000}, appid=252490)
    source.answer = market("$1,234.56", median="$9.99")

    prices.run_due()

    question = {
        "appid": "252490",
        "currency": "1",
        "market_hash_name": "★ Karambit & Co | 50% +1",
        "key": "1",
    }
    assert [request.args.to_dict() for request in source.requests] == [question]
    assert stored_prices() == {"★ Karambit & Co | 50% +1": 123_456}
    assert next_fetches() == {"★ Karambit & Co | 50% +1": START + HOUR}


def test_only_a_plausible_answer_changes_the_price(prices, source, add, clock, stored_prices, next_fetches):
    for answer, price in (
        (market(None, median="$0.99"), 99),
        (market("0,99 €", median="$0.98"), 98),
        (market(None), 100),
        (market("0,99 €"), 100),
        (text('{"success": true}'), 100),
        (NO_SUCH_ITEM, 100),
        (market("$10.01"), 100),
        (market("$0.09"), 100),
        (market("$0.00"), 100),
    ):
        clock.advance(minutes=1)
        add({"One": 1})
        source.answer = answer

        prices.run_due()

        assert (stored_prices(), next_fetches()) == ({"One": price}, {"One": clock.now + HOUR})


def test_an_item_with_a_custom_price_is_not_asked_for(prices, source, add, stored_prices):
    add({"Own": 1}, customPrice=True)
    source.answer = market("$1.50")

    prices.run_due()

    assert (asked(source), stored_prices()) == ([], {"Own": 100})


@pytest.fixture
def many(add):
    names = [f"Item {number:03}" for number in range(100)]
    add(dict.fromkeys(names, 1))
    return names


def test_restarts_do_not_raise_the_markets_minute_limit(prices, run, source, clock, many, restart):
    source.answer = market("$1.00")
    asks = []

    run("prices", "refresh")
    asks.append(len(source.requests))
    restart().refresh(accept_jumps=False)
    asks.append(len(source.requests))
    clock.advance(ms=59_999)
    restart().refresh(accept_jumps=False)
    asks.append(len(source.requests))
    clock.advance(ms=1)
    restart().refresh(accept_jumps=False)
    asks.append(len(source.requests))

    assert asks == [20, 20, 20, 40]
    assert asked(source) == many[:40]


BAD = {
    "an error": text("", status=500),
    "not JSON": text("<html>"),
    "an array": text("[1]"),
    "no success": text('{"lowest_price": "$1.50"}'),
    "too large": text(" " * 70_000 + '{"success": true, "lowest_price": "$1.50"}'),
    "hung up": hang_up,
    "cut off": cut_off,
    "a redirect": text("", status=302, Location="/elsewhere"),
}


def test_a_failing_market_changes_nothing_and_is_asked_later(
    prices, source, add, clock, stored_prices, next_fetches, outcomes
):
    for name, answer in BAD.items():
        # The longest pause after a failure is over.
        clock.advance(minutes=10)
        add({"One": 1})
        source.answer = answer

        prices.run_due()

        assert outcomes.pop() in ("unavailable", "bad document"), name
        assert (stored_prices(), next_fetches()) == ({"One": 100}, {"One": clock.now + 60_000}), name
    assert outcomes == []


def test_a_held_back_price_is_asked_again_and_accepted(run, source, add, stored_prices):
    add({"One": 1, "Two": 1})
    source.answer = market("$50.00")
    held_back = run("prices", "refresh")
    before = stored_prices()

    said = run("prices", "refresh", "--accept-jumps")

    assert (held_back["heldBack"], before) == (2, {"One": 100, "Two": 100})
    assert (said["updated"], stored_prices()) == (2, {"One": 5000, "Two": 5000})


@pytest.fixture
def beside_a_feed(source, restart):
    """The price service of an app with a feed as well, and the feed."""
    with price_server() as feed:
        yield restart(PRICE_FEED_URL=feed.url), feed


def test_the_market_is_asked_only_for_what_the_feed_does_not_contain(
    beside_a_feed, source, clock, add, stored_prices
):
    both, feed = beside_a_feed
    add({"In the feed": 1, "Elsewhere": 1})
    source.answer = market("$1.60")
    seen = []

    # The feed fails in the second hour. In the third it does not contain the item any more.
    for answer in (document({"In the feed": 150}), "[]", document({})):
        source.requests.clear()
        feed.answer = text(answer)
        both.run_due()
        seen.append(sorted(asked(source)))
        clock.advance(hours=1)

    assert seen == [["Elsewhere"], ["Elsewhere"], ["Elsewhere", "In the feed"]]
    assert stored_prices() == {"In the feed": 160, "Elsewhere": 160}


def test_a_clock_step_back_neither_stops_nor_repeats_requests(prices, source, clock, add):
    add({"One": 1})
    source.answer = market("$1.00")
    clock.advance(hours=10_000)
    asks = []

    for milliseconds in (0, -10_000 * HOUR, -2_000, HOUR + 2_000):
        clock.advance(ms=milliseconds)
        prices.run_due()
        asks.append(len(source.requests))

    assert asks == [1, 2, 2, 3]
