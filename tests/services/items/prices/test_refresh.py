"""flask prices refresh: one document, and what it does to each item's price."""

import pytest

from services.items.prices import feed as price_feed
from tests.harness.price_sources import document, feed, text

NOTHING = {"updated": 0, "unchanged": 0, "heldBack": 0, "missing": 0, "custom": 0, "unknown": 0}


@pytest.mark.both_databases("services/items/prices/feed.py")
def test_every_item_gets_its_price(run, source, add, stored_prices):
    add({"One": 1, "Two": 2, "Three": 3})
    source.answer = feed({"One": 150, "Two": 200, "Four": 5})

    said = run("prices", "refresh")

    expected = {"updated": 1, "unchanged": 1, "missing": 1, "unknown": 1, "heldBackItems": []}
    assert said == NOTHING | expected
    assert stored_prices() == {"One": 150, "Two": 200, "Three": 300}


def test_a_custom_price_is_never_changed(run, source, add, stored_prices, next_fetches):
    add({"Own": 1}, customPrice=True, nextPriceFetch=7)
    source.answer = feed({"Own": 150})

    said = run("prices", "refresh", "--accept-jumps")

    assert said == NOTHING | {"custom": 1, "heldBackItems": []}
    assert (stored_prices(), next_fetches()) == ({"Own": 100}, {"Own": 7})


BAD_PRICES = {
    "Negative": -100,
    "Fraction": 100.5,
    "Whole, but written as a fraction": 100.0,
    "Text": "100",
    "Null": None,
    "True": True,
    "A list": [100],
    "Beyond all bounds": 10**12,
    "Of forty digits": 10**39,
}
JUMPS = {"Eleven times": 1100, "A hundred times": 10_000, "An eleventh": 9, "Nothing": 0}


@pytest.mark.security("Price sources and providers")
def test_a_bad_price_is_held_back_alone(run, source, add, stored_prices):
    add(dict.fromkeys([*BAD_PRICES, *JUMPS, "Good"], 1))
    source.answer = feed(BAD_PRICES | JUMPS | {"Good": 200})

    said = run("prices", "refresh")

    assert (said["updated"], said["heldBack"]) == (1, 13)
    assert sorted(said["heldBackItems"]) == sorted([*BAD_PRICES, *JUMPS])
    assert stored_prices() == dict.fromkeys([*BAD_PRICES, *JUMPS], 100) | {"Good": 200}


def test_an_item_that_the_feed_names_twice_keeps_its_price_alone(run, source, add, stored_prices):
    add({"Twice": 1, "Once": 1})
    once = document({"Twice": 150, "Once": 200})
    source.answer = text(once.replace('"Once"', '"Twice": 150, "Once"'))

    said = run("prices", "refresh", "--accept-jumps")

    assert (said["updated"], said["heldBackItems"]) == (1, ["Twice"])
    assert stored_prices() == {"Twice": 100, "Once": 200}


def test_accept_jumps_accepts_jumps_but_no_invalid_prices(run, source, add, stored_prices):
    add(dict.fromkeys([*BAD_PRICES, *JUMPS], 1))
    source.answer = feed(BAD_PRICES | JUMPS)

    said = run("prices", "refresh", "--accept-jumps")

    assert (said["updated"], said["heldBack"]) == (4, 9)
    assert stored_prices() == dict.fromkeys(BAD_PRICES, 100) | JUMPS


def test_only_the_first_held_back_items_are_named(run, source, add):
    names = [f"Item {number:02}" for number in range(30)]
    add(dict.fromkeys(names, 1))
    source.answer = feed(dict.fromkeys(names, 5000))

    said = run("prices", "refresh")

    assert (said["heldBack"], said["heldBackItems"]) == (30, names[:20])


@pytest.mark.both_databases("services/items/prices/feed.py")
def test_a_refresh_in_many_transactions_treats_each_item_alike(run, source, add, stored_prices, monkeypatch):
    monkeypatch.setattr(price_feed, "ITEMS_A_SLICE", 3)
    prices = {f"Item {number}": 100 for number in range(10)}
    add(dict.fromkeys(prices, 1))
    add({"Unpriced": None})
    source.answer = feed(prices | {"Item 1": 150, "Item 8": 5000, "Unpriced": 7})

    said = run("prices", "refresh")

    counted = {"updated": 2, "unchanged": 8, "heldBack": 1, "heldBackItems": ["Item 8"]}
    assert said == NOTHING | counted
    assert stored_prices() == prices | {"Item 1": 150, "Unpriced": 7}


def test_a_price_stays_when_its_cases_cannot_be_repriced(prices, source, add, stored_prices, monkeypatch):
    add({"One": 1})
    source.answer = feed({"One": 150})

    def fail(*_arguments, **_options):
        raise RuntimeError

    monkeypatch.setattr(price_feed.RunningPrices, "follow", fail)
    with pytest.raises(RuntimeError):
        prices.refresh(accept_jumps=False)

    assert stored_prices() == {"One": 100}


@pytest.mark.parametrize("settings", [{}], ids=["no source"])
def test_without_a_source_the_command_fails(fails, settings):
    assert fails("prices", "refresh") == ("Error: no price source is set: PRICE_FEED_URL or PRICE_MARKET_URL")
