"""A feed that is down, slow, truncated or invalid: prices stay, and one line says why."""

import gzip

import pytest

from tests.harness.price_sources import cut_off, document, dripping, text
from tests.harness.servers import hang_up

GOOD = document({"One": 150})


@pytest.fixture
def item(add):
    add({"One": 1})


BAD = {
    "not JSON": (text("<html>"), "the price feed is not a JSON object, or was cut off"),
    "another currency": (
        text(document({"One": 150}, currency="EUR")),
        "the currency of the price feed is not USD",
    ),
    "an error": (text(GOOD, status=500), "the price feed answered 500"),
    "gone": (text(GOOD, status=404), "the price feed answered 404"),
    "partial content": (text(GOOD, status=206), "the price feed answered 206"),
    "not modified": (text("", status=304), "the price feed answered 304"),
    "an endless redirect": (text("", status=302, Location="/"), "the request to the price feed failed"),
    "hung up": (hang_up, "the price feed can't be reached, or broke off"),
    "cut off": (cut_off, "the price feed can't be reached, or broke off"),
    "broken compression": (
        text(GOOD, Content_Encoding="gzip"),
        "the price feed can't be reached, or broke off",
    ),
}


def test_a_bad_document_changes_no_price(fails, source, item, stored_prices):
    said = {}
    for what, (answer, _) in BAD.items():
        source.answer = answer
        said[what] = fails("prices", "refresh")

    assert said == {what: f"Error: {problem}" for what, (_, problem) in BAD.items()}
    assert stored_prices() == {"One": 100}


def test_a_feed_is_limited_in_its_size_after_decompression(run, fails, source, item, stored_prices, limit):
    limit(max_bytes=len(GOOD) - 1)
    too_large = (text(GOOD), text(gzip.compress(b" " * 1_000_000), Content_Encoding="gzip"))
    for source.answer in too_large:
        assert fails("prices", "refresh") == "Error: the response of the price feed is too large"
    assert stored_prices() == {"One": 100}

    limit(max_bytes=len(GOOD))
    source.answer = text(gzip.compress(GOOD.encode()), Content_Encoding="gzip")
    run("prices", "refresh")
    assert stored_prices() == {"One": 150}


def test_a_feed_that_sends_too_slowly_is_given_up(fails, source, item, stored_prices, limit):
    limit(seconds=0.2)
    for headers_too in (False, True):
        source.answer = dripping(source, headers_too=headers_too)
        assert fails("prices", "refresh") == "Error: the price feed took too long"
    assert stored_prices() == {"One": 100}
