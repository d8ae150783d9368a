"""flask irl import: stores all cases of a file, or none."""

import pytest

from models.cases import IrlCase, IrlItem
from models.db import new_connections
from models.db.connection import open_database, reading
from services.cases.irl import import_cases
from services.shared.clock import now_ms
from tests.support.at_once import all_at_once


@pytest.fixture
def put(run, write):
    """Imports these rows."""
    return lambda *rows: run("irl", "import", write(list(rows)))


@pytest.fixture
def stored(app):
    """Gives everything that is stored of these cases."""

    def rows():
        with reading():
            return [sorted(table.select().dicts(), key=str) for table in (IrlCase, IrlItem)]

    return rows


PEN = {"name": "Pen", "image": "", "price": 1.5}


def row(case_id="desk", *, items=(PEN,), **more):
    return {"id": case_id, "name": "Desk", "price": 12.5, "items": list(items)} | more


def test_a_case_of_prizes_keeps_its_picture_when_a_later_file_has_none(put, client):
    put(row(image="/media/cases/desk.webp"))
    put(row(price=13))

    images = [case["image"] for case in (client.get("/irl").json[0], client.get("/irl/desk").json)]
    assert images == 2 * ["http://127.0.0.1:5000/media/cases/desk.webp"]


@pytest.fixture
def short_limit(app, database_url, monkeypatch):
    """A database whose statements, on PostgreSQL, may take less time than an import."""
    monkeypatch.setitem(new_connections.OWN_SETTINGS, "statement_timeout", "50ms")
    opened = open_database(database_url)
    yield
    opened.close_idle()


@pytest.mark.both_databases("a race")
@pytest.mark.usefixtures("short_limit")
def test_concurrent_imports_of_new_cases_create_each_of_them_once():
    cases = [row(f"desk-{number}", price=13, items=[PEN | {"price": 1}]) for number in range(30)]

    results = all_at_once([lambda: import_cases(cases, now=now_ms())] * 4)

    assert sorted(result.created for result in results) == [0, 0, 0, 30]


def test_cases_are_imported_and_updated_by_their_ids(put, client, stored):
    first = put(row("desk"), row("sofa"))
    before = stored()
    put(row("desk"), row("sofa"))
    assert stored() == before

    second = put(row("desk", name="Desktop", price=13), row("chair"))

    assert first == {"cases": 2, "created": 2, "updated": 0}
    assert second == {"cases": 2, "created": 1, "updated": 1}
    assert [case["id"] for case in client.get("/irl").json] == ["chair", "sofa", "desk"]
    assert client.get("/irl/desk").json["name"] == "Desktop"


SUM = "the percentages must sum to 100, or to less than 100 when some are left out: they sum to "
ID = "id must have 1 to 64 characters of a-z, 0-9 and -"
NAME = "name must be a text of 1 to 100 characters"
NUMBER = "Each item must have a percentage that is a number from 0 to 100"
PRICE = "price must be a number from 0 to 1000000000 with at most two decimals, or a text like $12.40"
ITEMS = "items must be an array of 1 to 500 items"

ABOVE = "the expected value of an opening is above the price"

BAD = [
    ([], "must be an object"),
    (row(None), ID),
    (row("Desk"), ID),
    (row("a" * 65), ID),
    (row("desk\n"), ID),
    (row(name=""), NAME),
    (row(name=5), NAME),
    (row(name="\ue000"), "name has characters that cannot be shown"),
    (row(price="12.50"), PRICE),
    (row(price="$12.5"), PRICE),
    (row(price=-1), PRICE),
    (row(price=1.005), PRICE),
    (row(price=None), PRICE),
    (row(items=()), ITEMS),
    (row() | {"items": None}, ITEMS),
    (row(items=[5]), "each item must be an object"),
    (row(items=[PEN | {"name": " "}]), "an item's name must be a text of 1 to 200 characters"),
    (row(items=[PEN | {"image": 5}]), "an item's image must be a text of at most 1000 characters"),
    (
        row(items=[PEN | {"image": "images/1.png"}]),
        "an item's image must be an http or https address, or a path that begins with /",
    ),
    (row(items=[PEN | {"price": "$1"}]), f"an item's {PRICE}"),
    (row(items=[PEN | {"percentage": "50"}]), NUMBER),
    (row(items=[PEN | {"percentage": True}]), NUMBER),
    (row(items=[PEN | {"percentage": 99}]), SUM + "99, 1 is missing"),
    (row(items=[PEN | {"percentage": 60}, PEN | {"percentage": 60}]), SUM + "120, 20 too much"),
    (row(items=[PEN | {"percentage": 60}, PEN | {"percentage": 50}, PEN]), SUM + "110, 10 too much"),
    (row(price=1.49), ABOVE),
    (row(price=0), ABOVE),
    (row(price=1.5, items=[PEN | {"price": 1.51, "percentage": 100}]), ABOVE),
    (row("good"), "the file has this case twice: good"),
]


def test_a_bad_row_stops_the_import_and_nothing_is_stored(fails, write, stored):
    said = [fails("irl", "import", write([row("good"), bad])) for bad, _ in BAD]

    assert said == [f"Error: row 2: {problem}" for _, problem in BAD]
    assert stored() == [[], []]


def test_prices_may_be_written_as_the_api_shows_them(put, stored):
    put(row(price="$12.40", items=[PEN | {"price": "$0.05"}]))

    assert [rows[0]["price_cents"] for rows in stored()] == [1240, 5]


@pytest.mark.regulation("4.7 Payout percentage and odds")
def test_a_case_may_cost_exactly_its_expected_value(put):
    half = [PEN | {"price": 3, "percentage": 50}, PEN | {"price": 0, "percentage": 50}]

    assert put(row(price=1.5, items=half))["created"] == 1


def test_a_missing_percentage_is_0_when_others_sum_to_100(put, client):
    put(row(items=[PEN | {"name": "All", "percentage": 100}, PEN]))

    assert [item["percentage"] for item in client.get("/irl/desk").json["items"]] == [0, 100]
