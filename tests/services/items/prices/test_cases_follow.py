"""The prices of cases follow those of their items, whatever their source."""

import itertools
import re

import pytest

from services.items.prices import feed as price_feed
from services.items.prices import service as price_service
from tests.harness.players import import_case
from tests.harness.price_sources import feed
from tests.services.items.prices.conftest import HOUR, START


@pytest.fixture
def case(add, clock):
    """A case of two items at equal chances: 10 and 20 coins."""
    add({"One": 10, "Two": 20})
    import_case("Case", {"One": 50, "Two": 50}, now=clock())


@pytest.mark.usefixtures("case")
def test_an_items_new_price_changes_its_cases_price(client, run, source):
    source.answer = feed({"One": 20_00, "Two": 20_00})

    run("prices", "refresh")

    [case] = client.get("/api/cases").json
    # 20 / 0.95, up to the cent.
    assert case["price"] == 21.06
    assert [item["price"] for item in case["items"]] == ["$20.00", "$20.00"]


@pytest.mark.usefixtures("case")
def test_a_case_that_is_changed_during_a_refresh_gets_the_price_of_its_new_contents(
    client, run, source, stored_prices, monkeypatch
):
    source.answer = feed({"One": 25_00, "Two": 30_00})
    changed = []

    def change_after_the_first_transaction():
        if stored_prices()["One"] == 25_00 and not changed:
            changed.append(stored_prices())
            import_case("Case", {"One": 90, "Two": 10})

    monkeypatch.setattr(price_feed, "ITEMS_A_SLICE", 1)
    monkeypatch.setattr(price_service, "pause", change_after_the_first_transaction)

    run("prices", "refresh")

    [case] = client.get("/api/cases").json
    assert changed == [{"One": 25_00, "Two": 20_00}]
    # (25 * 0.9 + 30 * 0.1) / 0.95, up to the cent.
    assert case["price"] == 26.85


@pytest.mark.usefixtures("case")
def test_a_refresh_without_new_prices_changes_next_price_fetch(client, run, clock, source):
    source.answer = feed({"One": 10_00, "Two": 20_00})
    run("prices", "refresh")
    before = client.get("/api/cases")

    clock.advance(minutes=1)
    run("prices", "refresh")

    after = client.get("/api/cases")
    next_refresh = START + 60_000 + HOUR
    assert [item["nextPriceFetch"] for item in after.json[0]["items"]] == [next_refresh, next_refresh]
    assert after.json[0]["price"] == before.json[0]["price"]
    assert after.headers["ETag"] != before.headers["ETag"]


def test_a_request_for_a_case_waits_for_missing_prices(app, add, clock, client, source):
    add({"One": None})
    import_case("Case", {"One": 100}, now=clock())
    source.answer = feed({"One": 9_50})
    app.extensions["realtime"].start()

    case = client.get("/api/cases/case").json

    assert (case["items"][0]["price"], case["price"]) == ("$9.50", 10)


@pytest.fixture
def writes(queries):
    """Returns which of two tables the statements so far wrote to, in order, without repetitions."""

    write = re.compile(r'\s*(?:UPDATE|INSERT INTO) "?(case_version|items)\b')

    def in_order():
        tables = [match[1] for sql, _ in queries if (match := write.match(sql))]
        return [table for table, _ in itertools.groupby(tables)]

    return in_order


def test_imports_and_refreshes_lock_the_version_before_items(prices, source, add, queries, writes):
    """Two changes of items at once would otherwise wait for each other's rows on PostgreSQL."""
    add({"One": 10, "Two": 20})
    imported = writes()
    queries.clear()
    source.answer = feed({"One": 20_00})
    prices.run_due()

    assert [imported[:2], writes()[:2]] == [["case_version", "items"]] * 2
