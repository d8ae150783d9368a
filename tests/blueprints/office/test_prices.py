"""The page of price sources: their age and last error, and asking the feed for new prices."""

import json

import pytest

from models.db.connection import reading, writing
from models.items import Item, PriceSource
from tests.harness.players import import_prices
from tests.support.office import events

REASON = "a wrong price was reported"


def refresh(person, **fields):
    return person.post("/office/prices/refresh", of="/office/prices", **fields)


def price_of_item():
    with reading():
        return Item.get().price_cents


def test_without_a_feed_there_is_nothing_to_refresh(editor):
    page = editor.get("/office/prices").text
    assert "No source is set" in page
    assert "Refresh the prices" not in page

    refused = editor.post("/office/prices/refresh", of="/office/items", reason=REASON)

    assert "No price feed is set" in refused.text
    assert events("prices.refreshed") == []


@pytest.mark.settings(PRICE_FEED_URL="http://127.0.0.1:9/feed")
class TestWithAFeed:
    def test_a_source_shows_its_age_and_its_last_error(self, app, editor, clock):
        import_prices({"Gun": 1})
        state = {"succeeded_at_ms": clock() - 3 * 3_600_000, "failures": 2, "last_error": "it took too long"}
        with writing():
            PriceSource.update(state).where(PriceSource.name == "feed").execute()
            Item.update(price_source="feed").execute()

        page = editor.get("/office/prices").text
        assert "3 hours" in page
        assert "it took too long" in page
        assert "3 hours" in editor.get("/office/items").text

    def test_a_failed_refresh_is_the_last_error(self, app, editor):
        app.extensions["services"].prices.run_due()

        assert "the price feed can" in editor.get("/office/prices").text

    def test_a_refresh_that_is_asked_for_is_due_at_once(self, editor):
        with writing():
            PriceSource.update(next_at_ms=2**40).execute()

        assert refresh(editor, reason=REASON).status_code == 303

        assert "at once" in editor.get("/office/prices").text
        assert events("prices.refreshed") == [("prices.refreshed", "staff:ed", {"reason": REASON})]

    def test_prices_that_were_held_back_are_accepted_once(self, app, editor, monkeypatch):
        import_prices({"Gun": 1})
        prices, stated = app.extensions["services"].prices, {"Gun": 90_000}
        feed = {"metadata": {"currency": "USD"}, "prices": stated}
        monkeypatch.setattr("services.items.prices.feed.Feed._fetch", lambda self: json.dumps(feed).encode())

        refresh(editor, reason=REASON)
        prices.run_due()
        assert price_of_item() == 100
        refresh(editor, reason=REASON, accept_jumps="yes")
        prices.run_due()
        assert price_of_item() == 90_000
        stated["Gun"] = 100
        refresh(editor, reason=REASON)
        prices.run_due()

        assert price_of_item() == 90_000
        found = events("prices.refreshed", "prices.jumps-accepted")
        assert [what.partition(".")[2] for what, *_ in found] == ["refreshed", "jumps-accepted", "refreshed"]

    def test_a_refused_form_keeps_what_was_typed(self, editor):
        assert "checked" in refresh(editor, reason="odd", accept_jumps="yes").text

    def test_an_auditor_has_no_form_of_a_refresh(self, auditor):
        assert "Refresh the prices" not in auditor.get("/office/prices").text
