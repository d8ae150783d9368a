"""The background task that refreshes prices: it starts with the server, logs, and stops promptly."""

import pytest

from services.items.prices import service
from tests.harness.price_sources import feed, text
from tests.harness.waiting import wait_until
from tests.services.items.prices.conftest import START


@pytest.fixture
def begin(app, add):
    """Starts the background work, as a server does. The items exist already."""
    return app.extensions["realtime"].start


def test_a_refresh_appears_in_the_log_and_in_the_metrics(begin, source, add, metric, log_lines):
    add({"One": 1, "Two": 1, "Jump": 1, "Negative": 1, "Missing": 1})
    source.answer = feed({"One": 150, "Two": 100, "Jump": 5000, "Negative": -1})

    begin()
    wait_until(lambda: metric("price_last_success_seconds", source="feed"))

    [refresh, *held_back] = log_lines()
    told = {name: refresh[name] for name in ("level", "event", "outcome", "updated", "held_back")}
    assert told == {
        "level": "info",
        "event": "prices:feed",
        "outcome": "applied",
        "updated": 1,
        "held_back": 2,
    }
    assert [line["item"] for line in held_back] == ["Jump", "Negative"]
    assert metric("price_refreshes_total", source="feed", outcome="applied") == 1
    counted = {
        what: metric("price_items_total", source="feed", outcome=what) for what in ("updated", "unchanged")
    }
    assert counted == {"updated": 1, "unchanged": 1}
    assert metric("price_items_held_back", source="feed") == 2
    assert metric("price_last_success_seconds", source="feed") == START / 1000
    assert metric("price_source_paused", source="feed") == 0


def test_a_failed_refresh_is_logged_without_the_address(begin, source, metric, log_lines):
    source.answer = text("[]")

    begin()
    wait_until(lambda: metric("price_source_paused", source="feed") is not None)

    [line] = log_lines()
    assert (line["level"], line["outcome"]) == ("warning", "bad document")
    assert source.url not in str(line)
    assert metric("price_refreshes_total", source="feed", outcome="bad document") == 1
    assert metric("price_source_paused", source="feed") == 1
    assert metric("price_last_success_seconds", source="feed") is None


@pytest.fixture
def short_rounds(monkeypatch):
    monkeypatch.setattr(service, "ROUND_SECONDS", 0.1)


def test_an_unexpected_error_does_not_end_the_task(
    short_rounds, begin, prices, source, add, log_lines, stored_prices, monkeypatch
):
    add({"One": 1})
    source.answer = feed({"One": 150})
    refresh, failures = prices.run_due, [RuntimeError("with a secret")]

    def fail_once():
        if failures:
            raise failures.pop()
        refresh()

    monkeypatch.setattr(prices, "run_due", fail_once)

    begin()

    wait_until(lambda: stored_prices() == {"One": 150})
    assert log_lines()[0]["message"] == "prices delayed"
    assert "with a secret" not in str(log_lines())
