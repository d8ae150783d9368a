"""GET /api/cases/free and /api/cases/:id: a single case."""

import urllib.error
import urllib.request
from urllib.parse import quote

import pytest

from bench.harness.servers import gunicorn, server_process
from models.case_spins import CaseSpins
from models.cases import Case
from models.db.connection import reading, writing
from models.items import Item
from tests.blueprints.cases.conftest import BLUE, GLOVES, RED, ROCK, body
from tests.support.markers import sqlite_only

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
    put("Case", {RED: 60, GLOVES: 39.5, BLUE: 0.5})

    items = client.get("/api/cases/case").json["items"]

    assert [(item["marketHashName"], item["percentage"], item.get("wear")) for item in items] == [
        (BLUE, 0.5, "Factory New"),
        (GLOVES, 39.5, None),
        (RED, 60, "Field-Tested"),
    ]
    assert "wear" not in items[1]


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


@sqlite_only
def test_a_path_with_a_nul_and_wrong_methods_are_refused(client):
    assert client.get("/api/cases/a%00b").status_code == 400
    answers = [
        client.get("/api/cases/create").status_code,
        client.post("/api/cases/pagination").status_code,
        client.post("/api/cases/free").status_code,
        client.post("/api/cases/none").status_code,
    ]

    assert answers == [405] * 4


@sqlite_only
def test_the_create_endpoint_allows_only_post(client):
    answers = [client.options("/api/cases/create"), client.get("/api/cases/create")]

    assert [set(answer.headers["Allow"].split(", ")) for answer in answers] == [{"OPTIONS", "POST"}] * 2


@sqlite_only
def test_a_case_that_the_client_has_is_answered_with_304(client, put):
    put("Case")
    tag = client.get("/api/cases/case").headers["ETag"]

    answer = client.get("/api/cases/case", headers={"If-None-Match": tag})

    assert (answer.status_code, answer.data) == (304, b"")


def test_a_case_shows_how_often_it_was_opened(client, put):
    put("Case")
    with writing():
        row = {"game": "case", "case_id": Case.get().id}
        CaseSpins.insert_many([row | {"shard": 3, "spins": 5}, row | {"shard": 9, "spins": 2}]).execute()

    assert client.get("/api/cases/case").json["spins"] == 7


def test_a_single_case_takes_two_queries_once_its_snapshot_is_stored(client, put, queries):
    put("Case", {RED: 50, GLOVES: 50})
    client.get("/api/cases/case")
    queries.clear()

    client.get("/api/cases/case?not-cached")

    assert len(queries) == 2


# -- ids of any characters ---------------------------------------------------------------------------

STRANGE = [
    "A/B",
    "50% off?",
    "a#b&c=d+e",
    "//double//",
    "end/",
    "~*'(\")",
    "ÄÖ ß",
    "箱 💎",
    "%2F",
    "..%2e/x",
    "a\\b",
]


def test_a_case_is_found_by_an_id_with_any_characters(client, put):
    for name in STRANGE:
        put(name)
    ids = [case["id"] for case in client.get("/api/cases").json]

    found = [client.get(f"/api/cases/{quote(case_id, safe='')}").json.get("id") for case_id in ids]

    assert found == ids
    assert len(ids) == len(STRANGE)


@sqlite_only
@pytest.mark.process
def test_gunicorn_finds_a_case_by_an_id_with_any_characters(env, tmp_path, put, client):
    for name in STRANGE:
        put(name)
    ids = [case["id"] for case in client.get("/api/cases").json]

    with server_process([*gunicorn()], env, tmp_path) as running:
        statuses = {case_id: _status(f"{running.url}/api/cases/{quote(case_id, safe='')}") for case_id in ids}

    assert statuses == dict.fromkeys(ids, 200)


def _status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


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
def test_a_missing_price_is_fetched_and_shown(client, refreshing, prices):
    refreshing(lambda _ids: prices({RED: 4}))

    case = client.get("/api/cases/case").json

    assert [item["price"] for item in case["items"]] == ["$4.00", "$0.50"]
    assert case["price"] == 2.37


@sqlite_only
@pytest.mark.usefixtures("unpriced")
def test_only_missing_prices_are_fetched(client, refreshing):
    asked = []
    refreshing(asked.append)

    client.get("/api/cases/case")
    client.get("/api/cases/pagination")

    with reading():
        assert asked == [[Item.get(market_hash_name=RED).id]]


@sqlite_only
@pytest.mark.usefixtures("unpriced")
def test_a_case_is_shown_when_its_prices_cannot_be_fetched(client, refreshing):
    def fail(_ids):
        raise ConnectionError("nobody there")

    refreshing(fail)

    answer = client.get("/api/cases/case")

    assert (answer.status_code, answer.json["items"][0]["price"]) == (200, None)


@sqlite_only
@pytest.mark.usefixtures("unpriced")
def test_no_prices_are_fetched_when_all_are_known_or_set_by_the_operator(client, put, refreshing):
    asked = []
    refreshing(asked.append)
    put("Priced", {ROCK: 100})
    with writing():
        Item.update(custom_price=True).where(Item.market_hash_name == RED).execute()

    client.get("/api/cases/priced")
    client.get("/api/cases/case")

    assert asked == []
