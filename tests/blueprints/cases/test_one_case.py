"""GET /api/cases/free and /api/cases/:id: a single case."""

import pytest

from models.cases import Case, CaseSpins
from models.db.connection import writing
from models.items import Item
from tests.blueprints.cases.conftest import BLUE, GLOVES, RED, ROCK, body

pytestmark = pytest.mark.usefixtures("inventory")


def test_the_free_case_has_id_name_price_and_items(client, put):
    missing = client.get("/api/cases/free")
    put("Daily Gift", {RED: 50, GLOVES: 50}, kind="free")

    case = client.get("/api/cases/free").json

    assert (missing.status_code, missing.json) == (404, {"error": "Free case not found"})
    assert client.get("/api/cases/free-case").json["name"] == "Daily Gift"

    assert list(case) == ["id", "name", "price", "items"]
    assert (case["id"], case["name"], case["price"]) == ("free-case", "Daily Gift", 5.53)
    assert [item["marketHashName"] for item in case["items"]] == [RED, GLOVES]
    assert "wear" not in case["items"][0]


def test_a_single_case_has_all_fields(client, create, veteran):
    create(body("My Case", contents={BLUE: 0.5, RED: 60, GLOVES: 39.5}))

    case = client.get("/api/cases/my-case").json

    assert len(case.pop("snapshot")) == 64
    assert {key: value for key, value in case.items() if key != "items"} == {
        "id": "my-case",
        "name": "My Case",
        "price": 6.63,
        "creator": veteran.platform_id,
        "type": "gamea",
        "spins": 0,
        "usedBalanceType": "balance",
    }


def test_the_rarest_items_come_first_and_show_their_wear(client, put):
    put("Case", {ROCK: 30, RED: 39.5, GLOVES: 30, BLUE: 0.5})

    items = client.get("/api/cases/case").json["items"]

    # Equal chances stay in the order of the import.
    assert [(item["marketHashName"], item["percentage"], item.get("wear", "")) for item in items] == [
        (BLUE, 0.5, "Factory New"),
        (ROCK, 30, ""),
        (GLOVES, 30, ""),
        (RED, 39.5, "Field-Tested"),
    ]


def test_an_unknown_case_is_not_found(client, put):
    put("Case")
    paths = (
        "none",
        "Case",
        "case/",
        "/case",
        "cas%65%20",
        "free-case",
        "pagination/",
        "create/x",
        "create%2F",
        "created",
        "%2F",
        "a%0Ab",
        "%FF",
    )

    answers = {path: client.get(f"/api/cases/{path}") for path in paths}

    assert {path: (answer.status_code, answer.json) for path, answer in answers.items()} == dict.fromkeys(
        paths, (404, {"error": "Case not found"})
    )


def test_a_case_shows_how_often_it_was_opened(client, put):
    put("Case")
    with writing():
        row = {"game": "case", "case_id": Case.get().id}
        CaseSpins.insert_many([row | {"shard": 3, "spins": 5}, row | {"shard": 9, "spins": 2}]).execute()

    assert client.get("/api/cases/case").json["spins"] == 7


# -- prices that are missing ---------------------------------------------------------------------------


@pytest.fixture
def refreshing(app, monkeypatch):
    """Replaces the price source."""
    prices = app.extensions["services"].prices
    return lambda refresh: monkeypatch.setattr(prices, "refresh_missing", refresh)


@pytest.fixture
def unpriced(put, prices):
    """A case with one priced and one unpriced item."""
    put("Case", {RED: 50, GLOVES: 50})
    prices({RED: None})


@pytest.mark.usefixtures("unpriced")
def test_only_missing_prices_that_are_not_custom_are_fetched(client, put, refreshing):
    asked = []
    refreshing(asked.append)
    put("Priced", {ROCK: 100})

    for path in ("case", "case?again", "pagination", "priced"):
        client.get(f"/api/cases/{path}")
    with writing():
        red = Item.get(market_hash_name=RED)
        Item.update(custom_price=True).where(Item.id == red.id).execute()
    client.get("/api/cases/case?not-cached")

    assert asked == [[red.id]] * 2


@pytest.mark.usefixtures("unpriced")
def test_a_case_is_shown_when_its_prices_cannot_be_fetched(client, refreshing):
    def fail(_ids):
        raise ConnectionError("nobody there")

    refreshing(fail)

    answer = client.get("/api/cases/case")

    assert (answer.status_code, answer.json["items"][0]["price"]) == (200, None)


def test_only_a_level_case_shows_the_level_that_it_needs(client, put):
    put("Level 10 Case", kind="level")
    put("Regular Case")

    pages = client.get("/api/cases/pagination?caseType=all").json["cases"]

    alone = [client.get(f"/api/cases/{case['id']}").json for case in pages]
    assert [case.get("requiredLevel", "absent") for case in pages] == ["absent", 10]
    assert [case.get("requiredLevel", "absent") for case in alone] == ["absent", 10]
