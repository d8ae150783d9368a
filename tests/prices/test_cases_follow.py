"""Cases follow the prices of their items, whatever source those came from."""

import pytest

from services.cases import importing
from tests.prices.conftest import HOUR, START
from tests.support.price_sources import feed


@pytest.fixture
def case(add, clock):
    """A case of two items at equal chances: 10 and 20 coins."""
    add({"One": 10, "Two": 20})
    items = [{"marketHashName": name, "percentage": 50} for name in ("One", "Two")]
    importing.store(importing.read([{"name": "Case", "items": items}]), now=clock())


@pytest.mark.usefixtures("case")
def test_a_new_price_of_an_item_is_a_new_price_of_its_case(client, run, source):
    source.answer = feed({"One": 20_00, "Two": 20_00})

    run("prices", "refresh")

    [case] = client.get("/api/cases").json
    # 20 / 0.95, up to the cent.
    assert case["price"] == 21.06
    assert [item["price"] for item in case["items"]] == ["$20.00", "$20.00"]


@pytest.mark.usefixtures("case")
def test_a_turn_that_changes_no_price_shows_in_the_list_when_the_next_one_is(client, run, clock, source):
    source.answer = feed({"One": 10_00, "Two": 20_00})
    run("prices", "refresh")
    before = client.get("/api/cases")

    clock.forward(minutes=1)
    run("prices", "refresh")

    after = client.get("/api/cases")
    next_turn = START + 60_000 + HOUR
    assert [item["nextPriceFetch"] for item in after.json[0]["items"]] == [next_turn, next_turn]
    assert after.json[0]["price"] == before.json[0]["price"]
    assert after.headers["ETag"] != before.headers["ETag"]


@pytest.mark.usefixtures("case")
def test_a_price_that_is_held_back_changes_no_case(client, run, source):
    source.answer = feed({"One": 10_000_00, "Two": 20_00})

    run("prices", "refresh")

    assert client.get("/api/cases/case").json["price"] == 15.79


def test_an_item_without_a_price_is_asked_for_when_its_case_is_looked_at(add, clock, client, source):
    add({"One": None})
    importing.store(
        importing.read([{"name": "Case", "items": [{"marketHashName": "One", "percentage": 100}]}]),
        now=clock(),
    )
    source.answer = feed({"One": 9_50})

    case = client.get("/api/cases/case").json

    assert (case["items"][0]["price"], case["price"]) == ("$9.50", 10)
