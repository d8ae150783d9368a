"""The prices of cases: the formula, compared with exact fractions, and prices that follow the items."""

import math
import threading
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.cases import Case
from models.db.connection import database, reading, writing
from models.items import Item
from services.cases.contents import CERTAIN, price_of, reprice_cases_holding
from tests.blueprints.cases.conftest import BLUE, GLOVES, RED, ROCK

MOST_CENTS = 10**11


@st.composite
def contents(draw, most_items=100):
    """Prices in cents, and chances in tickets that are certain in all."""
    cuts = sorted(draw(st.lists(st.integers(0, CERTAIN), max_size=most_items - 1)))
    chances = [high - low for low, high in zip([0, *cuts], [*cuts, CERTAIN], strict=True)]
    prices = st.one_of(st.integers(0, 10_000), st.integers(0, MOST_CENTS))
    return [(draw(prices), chance) for chance in chances]


@given(contents())
def test_a_price_is_that_of_the_formula_in_exact_fractions(inside):
    expected = sum(cents * Fraction(chance, CERTAIN) for cents, chance in inside) / Fraction(95, 100)

    assert price_of(inside) == math.ceil(expected)


@pytest.fixture
def price(client):
    """Gives a case's price as it is shown."""
    return lambda case_id: client.get(f"/api/cases/{case_id}").json["price"]


def test_an_item_without_a_price_adds_nothing_to_its_case(put, prices, price):
    put("Case", {RED: 50, BLUE: 50})

    shown = []
    for coins in (None, 0, 18):
        prices({RED: coins})
        shown.append(price("case"))

    assert shown == [10.53, 10.53, 20]


def _all_ids():
    return [item.id for item in Item.select(Item.id)]


@pytest.mark.both_databases("services/cases/contents.py")
def test_new_prices_are_exact_however_large(app, put):
    """Sums that need more than 64 bits, against the formula in Python's own numbers."""
    chances = {RED: "33.3333333333333333", BLUE: "0.0000000000000001", GLOVES: "66.6666666666666666"}
    put("Case", chances)
    with writing():
        Item.update(price_cents=MOST_CENTS - Item.id).execute()
        reprice_cases_holding(_all_ids())

    with reading():
        prices = {item.market_hash_name: item.price_cents for item in Item.select()}
        stored = Case.get().price_cents
    value = sum(prices[name] * Fraction(chance) / 100 for name, chance in chances.items())
    assert stored == math.ceil(value / Fraction(95, 100))


@pytest.mark.both_databases("services/cases/contents.py")
def test_a_cases_type_follows_the_games_of_its_items(client, put, prices):
    put("Case", {RED: 50, BLUE: 50})

    types = []
    for name in (RED, BLUE):
        prices({name: 10}, appid=252490)
        types.append(client.get("/api/cases/case").json["type"])
    prices({RED: 10, BLUE: 10}, appid=730)
    types.append(client.get("/api/cases/case").json["type"])

    assert types == ["mixed", "gameb", "gamea"]


def test_repricing_takes_the_same_statements_for_any_number_of_cases(app, put, queries):
    counted = []
    for total in (1, 30):
        for number in range(total):
            put(f"Case {number}", {RED: 50, ROCK: 50})
        with writing():
            Item.update(price_cents=Item.price_cents + 100).execute()
            ids = _all_ids()
            queries.clear()
            reprice_cases_holding(ids)
            counted.append(len(queries))

    assert counted == [2, 2]


@pytest.mark.both_databases("a race")
@pytest.mark.parametrize("path", ["/api/cases", "/api/cases/pagination"])
def test_a_list_shows_case_prices_that_match_their_items(client, put, prices, monkeypatch, path):
    put("Box", {RED: 100})
    execute, asked = database.obj.execute_sql, []

    def change_the_price_before_the_items_are_read(sql, *args, **kwargs):
        is_request = threading.current_thread() is threading.main_thread()
        if 'FROM "case_items"' in sql and is_request and not asked:
            asked.append(sql)
            change = threading.Thread(target=prices, args=[{RED: 11}])
            change.start()
            change.join()
        return execute(sql, *args, **kwargs)

    monkeypatch.setattr(database.obj, "execute_sql", change_the_price_before_the_items_are_read)

    shown = client.get(path).json

    (case,) = shown if path == "/api/cases" else shown["cases"]
    assert len(asked) == 1
    assert (case["price"], case["items"][0]["price"]) in ((10.53, "$10.00"), (11.58, "$11.00"))
