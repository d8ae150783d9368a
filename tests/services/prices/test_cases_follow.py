"""The prices of cases follow those of their items, whatever their source."""

import itertools
import re
from decimal import Decimal

import pytest

from bench.harness.price_sources import feed, market
from services.cases import importing
from tests.services.prices.conftest import HOUR, START


@pytest.fixture
def case(add, clock):
    """A case of two items at equal chances: 10 and 20 coins."""
    add({"One": 10, "Two": 20})
    items = [{"marketHashName": name, "percentage": 50} for name in ("One", "Two")]
    importing.import_cases([{"name": "Case", "items": items}], now=clock())


@pytest.mark.usefixtures("case")
def test_a_new_price_of_an_item_changes_the_price_of_its_case(client, run, source):
    source.answer = feed({"One": 20_00, "Two": 20_00})

    run("prices", "refresh")

    [case] = client.get("/api/cases").json
    # 20 / 0.95, up to the cent.
    assert case["price"] == 21.06
    assert [item["price"] for item in case["items"]] == ["$20.00", "$20.00"]


FINE_CHANCES = {"Dear": "0.0000000000000001", "None": "33.3333333333333333", "Cheap": "66.6666666666666666"}


@pytest.fixture
def fine_cases(add, clock):
    """Cases of a very dear item, of one without a price, and of chances with all their decimals."""
    add({"Dear": 999_999_999, "None": None, "Cheap": 0.01, "Other": 1})
    cases = [{"Dear": "100"}, {"Cheap": "50", "Other": "50"}, FINE_CHANCES, {"None": "100"}]
    rows = [
        {
            "name": f"Case {number}",
            "items": [
                {"marketHashName": name, "percentage": Decimal(percentage)}
                for name, percentage in held.items()
            ],
        }
        for number, held in enumerate(cases)
    ]
    importing.import_cases(rows, now=clock())


@pytest.mark.usefixtures("fine_cases")
def test_case_prices_stay_exact_after_many_changes(run, source):
    refreshes = [
        {"Dear": 100_000_000_000, "None": 7, "Cheap": 3},
        {"Dear": 1, "None": 99_999_999_999, "Cheap": 2, "Other": 100},
        {"Dear": 33_333_333_333, "None": 1, "Cheap": 100_000_000_000, "Other": 99},
        {"None": 3, "Cheap": 1},
    ]
    wrong = []
    for prices in refreshes:
        source.answer = feed(prices)
        updated = run("prices", "refresh", "--accept-jumps")["updated"]
        # By the formula in Python's own numbers, from all items of each case.
        wrong.append((updated, run("ledger", "audit")["mismatches"]))

    assert wrong == [(3, 0), (3, 0), (4, 0), (2, 0)]


@pytest.mark.usefixtures("case")
def test_a_case_that_is_imported_between_two_refreshes_follows_the_second(run, client, source, clock):
    source.answer = feed({"One": 20_00, "Two": 20_00})
    run("prices", "refresh")
    importing.import_cases(
        [{"name": "New", "items": [{"marketHashName": "One", "percentage": 100}]}],
        now=clock(),
    )
    source.answer = feed({"One": 30_00, "Two": 20_00})

    run("prices", "refresh")

    # 30 / 0.95 and 25 / 0.95, up to the cent.
    prices = {case["id"]: case["price"] for case in client.get("/api/cases").json}
    assert prices == {
        "new": 31.58,
        "case": 26.32,
    }


@pytest.mark.usefixtures("case")
def test_a_refresh_without_a_new_price_changes_next_price_fetch_in_the_list(client, run, clock, source):
    source.answer = feed({"One": 10_00, "Two": 20_00})
    run("prices", "refresh")
    before = client.get("/api/cases")

    clock.forward(minutes=1)
    run("prices", "refresh")

    after = client.get("/api/cases")
    next_refresh = START + 60_000 + HOUR
    assert [item["nextPriceFetch"] for item in after.json[0]["items"]] == [next_refresh, next_refresh]
    assert after.json[0]["price"] == before.json[0]["price"]
    assert after.headers["ETag"] != before.headers["ETag"]


@pytest.mark.usefixtures("case")
def test_a_price_that_is_held_back_changes_no_case(client, run, source):
    source.answer = feed({"One": 10_000_00, "Two": 20_00})

    run("prices", "refresh")

    assert client.get("/api/cases/case").json["price"] == 15.79


def test_a_request_for_a_case_waits_for_the_prices_that_its_items_lack(app, add, clock, client, source):
    add({"One": None})
    importing.import_cases(
        [{"name": "Case", "items": [{"marketHashName": "One", "percentage": 100}]}],
        now=clock(),
    )
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


def test_the_market_locks_the_version_of_the_lists_before_an_item(
    restart, source, add, stored_prices, queries, writes
):
    prices = restart(PRICE_FEED_URL="", PRICE_MARKET_URL=source.url)
    add({"One": 10})
    source.answer = market("$12.00")
    queries.clear()

    prices.run_due()

    # The claim before the request is a transaction of its own, which locks this one item.
    assert writes()[:3] == ["items", "case_version", "items"]
    assert stored_prices() == {"One": 12_00}
