"""GET /api/cases: the list of all cases."""

import gzip

import pytest

from services.items import importing as items_importing
from services.shared.clock import now_ms
from tests.blueprints.cases.conftest import BLUE, GLOVES, RED, ROCK, body, names
from tests.support.markers import sqlite_only

PATH = "/api/cases"

pytestmark = pytest.mark.usefixtures("inventory")


def test_a_case_is_shown_with_its_items(client, put):
    assert client.get(PATH).json == []
    put("Odds & Ends", {RED: 33.3, GLOVES: 66.7})

    (case,) = client.get(PATH).json

    times = [item.pop("nextPriceFetch") for item in case["items"]]
    assert case == {
        "id": "odds-&-ends",
        "name": "Odds & Ends",
        "price": 3.86,
        "creator": "",
        "items": [
            {
                "appid": 730,
                "marketHashName": RED,
                "gunName": "Gun",
                "skinName": "Red",
                "image": "http://127.0.0.1:5000/media/neutral/item.webp",
                "price": "$10.00",
                "percentage": 33.3,
            },
            {
                "appid": 730,
                "marketHashName": GLOVES,
                "gunName": "Gloves",
                "skinName": "",
                "image": "http://127.0.0.1:5000/media/neutral/item.webp",
                "price": "$0.50",
                "percentage": 66.7,
            },
        ],
    }
    assert all(abs(time - now_ms()) < 60_000 for time in times)


KINDS = {"all": ["New", "Old", "Daily", "Level 10"], "true": ["Level 10"], "false": ["New", "Old"]}


def test_the_type_selects_the_kinds(client, put):
    put("Level 10", kind="level")
    put("Daily", kind="free")
    put("Old")
    put("New")

    shown = {value: names(client.get(PATH, query_string={"type": value}).json) for value in ("", *KINDS)}

    assert shown == {"": ["New", "Old"]} | KINDS
    assert names(client.get(PATH).json) == ["New", "Old"]


@sqlite_only
def test_an_unknown_type_is_refused_by_name(client):
    answers = [client.get(PATH, query_string={"type": value}) for value in ("True", "level", "1", "gamea")]

    assert {answer.status_code for answer in answers} == {400}
    assert {answer.json["error"] for answer in answers} == {"type: must be one of all, true, false"}


def test_cases_created_at_the_same_time_keep_the_order_of_their_import(client, put):
    for name in ("First", "Second", "Third"):
        put(name, now=1_700_000_000_000)

    assert names(client.get(PATH).json) == ["Third", "Second", "First"]


def test_the_rarest_items_come_first_and_equal_ones_keep_their_order(client, put):
    put("Case", {BLUE: 40, ROCK: 20, RED: 20, GLOVES: 20})

    (case,) = client.get(PATH).json

    assert [item["marketHashName"] for item in case["items"]] == [ROCK, RED, GLOVES, BLUE]


def test_an_item_without_a_price_is_shown_with_null(client, put, prices):
    put("Case", {RED: 50, GLOVES: 50})
    prices({RED: None})

    (case,) = client.get(PATH).json

    assert [item["price"] for item in case["items"]] == [None, "$0.50"]


@sqlite_only
def test_a_list_that_the_client_has_is_answered_with_304(client, put):
    put("Case")
    tag = client.get(PATH).headers["ETag"]

    answer = client.get(PATH, headers={"If-None-Match": tag})

    assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", tag)


@sqlite_only
def test_the_list_is_compressed_for_a_client_that_accepts_gzip(client, put):
    put("Case")
    plain = client.get(PATH)

    answer = client.get(PATH, headers={"Accept-Encoding": "gzip"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data) == plain.data


def test_a_new_case_is_shown_at_once(client, create):
    before = client.get(PATH)
    create(body("Mine"))

    after = client.get(PATH, headers={"If-None-Match": before.headers["ETag"]})

    assert (names(before.json), names(after.json)) == ([], ["Mine"])


def test_a_case_created_by_another_process_is_shown_at_once(client, create, make_app):
    elsewhere = make_app().test_client()
    elsewhere.get(PATH)

    create(body("Mine"))

    assert names(elsewhere.get(PATH).json) == ["Mine"]


def test_a_new_price_shows_at_once(client, put, prices):
    put("Case", {RED: 100})
    client.get(PATH)

    prices({RED: 19})

    (case,) = client.get(PATH).json
    assert (case["price"], case["items"][0]["price"]) == (20, "$19.00")


@sqlite_only
def test_a_new_image_is_shown_at_once(client, put):
    put("Case", {RED: 100})
    client.get(PATH)

    row = {"appid": 730, "marketHashName": RED, "price": 10, "image": "https://images.example.com/1.png"}
    items_importing.import_document([row], app_id=None, now=now_ms())

    assert client.get(PATH).json[0]["items"][0]["image"] == "https://images.example.com/1.png"


def test_a_cached_list_takes_one_query(client, put, queries):
    put("Case")
    client.get(PATH)
    queries.clear()

    client.get(PATH)

    assert len(queries) == 1
