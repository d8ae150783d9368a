"""GET /upgrader/items: the whole catalogue."""

import gzip
import threading

import peewee
import pytest

from models.db.connection import writing
from models.items import Item
from services.items import catalogue
from services.items.catalogue import CatalogueCache
from tests.blueprints.upgrader.http.conftest import names
from tests.harness.waiting import wait_until
from tests.support.markers import sqlite_only

PATH = "/upgrader/items"
ISSUED_AT = 1_700_000_000_123


def test_an_empty_catalogue_is_an_empty_array(client):
    answer = client.get(PATH)

    assert (answer.status_code, answer.json) == (200, [])


def test_the_first_items_are_shown_at_once(client, stock):
    lists = (PATH, f"{PATH}/pagination?page=1")
    assert [client.get(path).status_code for path in lists] == [200, 200]

    stock({"First": 5})

    assert names(client.get(PATH).json) == ["First"]
    assert names(client.get(f"{PATH}/pagination").json["items"]) == ["First"]


def test_an_item_has_the_seven_fields_of_the_contract(client, stock):
    stock(
        {"Bolt Rifle | Salt Marsh": 1234.5},
        appid=252490,
        gunName="Bolt",
        skinName="Salt",
        image="https://images.example.com/bolt.png",
        customPrice=True,
        nextPriceFetch=ISSUED_AT,
    )

    answer = client.get(PATH)

    assert answer.json == [
        {
            "appid": 252490,
            "marketHashName": "Bolt Rifle | Salt Marsh",
            "gunName": "Bolt",
            "skinName": "Salt",
            "image": "https://images.example.com/bolt.png",
            "price": "$1234.50",
            "nextPriceFetch": ISSUED_AT,
        }
    ]


def test_a_price_is_shown_with_two_decimals_and_no_grouping(client, stock):
    prices = {1_000_000_000: "$1000000000.00", 19.99: "$19.99", 7: "$7.00", 0.1: "$0.10", 0.01: "$0.01"}
    stock({f"Item at {price}": price for price in prices})

    assert [item["price"] for item in client.get(PATH).json] == list(prices.values())


def test_items_without_a_price_above_zero_are_not_shown(client, stock):
    stock({"No price": None, "Nothing": 0, "Something": 0.01})

    assert names(client.get(PATH).json) == ["Something"]


@pytest.mark.both_databases("services/items/catalogue.py")
def test_expensive_items_come_first_then_names(client, stock):
    stock({"b": 5, "\u2605 Knife": 5, "Cheap": 0.99, "B": 5, "a": 5, "dear": 6})

    assert names(client.get(PATH).json) == ["dear", "B", "a", "b", "\u2605 Knife", "Cheap"]


def test_an_item_without_usable_image_shows_the_neutral_one(client, stock):
    stock({"Item": 5, "Old item": 4})
    with writing():
        Item.update(image="javascript:alert(1)").where(Item.market_hash_name == "Old item").execute()

    images = [item["image"] for item in client.get(PATH).json]

    assert images == ["http://127.0.0.1:5000/media/neutral/item.webp"] * 2


def test_the_list_is_compressed_for_clients_that_accept_gzip(client, stock):
    stock({"Item \u2605": 5, "Other": 4})
    plain = client.get(PATH)
    codings = {
        "gzip, deflate, br": "gzip",
        "x, GZIP;q=0.5": "gzip",
        "*": "gzip",
        "br": None,
        "gzip;q=0, *": None,
    }

    for asked, coding in codings.items():
        answer = client.get(PATH, headers={"Accept-Encoding": asked})

        assert answer.headers.get("Content-Encoding") == coding, asked
        assert (gzip.decompress(answer.data) if coding else answer.data) == plain.data
        assert "Accept-Encoding" in ", ".join(answer.headers.getlist("Vary"))


def test_the_same_list_has_the_same_etag_after_a_restart(client, stock, make_app):
    stock({"Item": 5, "Other": 5})
    before = client.get(PATH).headers["ETag"]

    assert make_app().test_client().get(PATH).headers["ETag"] == before


@pytest.fixture
def seconds():
    """A clock that stands still until a test moves it."""
    return [0.0]


@pytest.fixture
def cache(app, seconds):  # the app has opened the database
    return CatalogueCache(ttl_seconds=3600, timer=lambda: seconds[0])


@pytest.fixture
def stalled(monkeypatch):
    """A build waits for this event."""
    monkeypatch.setattr(catalogue, "REBUILD_WAIT_SECONDS", 0.1)
    going_on = threading.Event()

    def build_late(query):
        assert going_on.wait(5)
        return build(query)

    build = catalogue.build
    monkeypatch.setattr(catalogue, "build", build_late)
    yield going_on
    going_on.set()


# On PostgreSQL its clock says when a catalogue expires, not the timer of the test.
@sqlite_only
@pytest.mark.security("Faults around the server")
def test_the_old_catalogue_is_shown_until_the_new_is_ready(cache, seconds, stock, stalled):
    stock({"Item": 5})
    stalled.set()
    old = cache.current()
    stock({"New": 6})
    stalled.clear()
    seconds[0] = 3600.0

    meanwhile = [cache.current() for _ in range(3)]
    stalled.set()

    assert meanwhile == [old] * 3
    wait_until(lambda: len(cache.current().items) == 2)


@pytest.fixture
def broken(monkeypatch):
    """A build fails until this is called."""
    build = catalogue.build

    def fail(_query):
        raise peewee.OperationalError

    monkeypatch.setattr(catalogue, "build", fail)
    return lambda: monkeypatch.setattr(catalogue, "build", build)


@sqlite_only
def test_a_failed_build_of_the_catalogue_is_repeated_soon(cache, seconds, stock, request):
    stock({"Item": 5})
    old = cache.current()
    stock({"New": 6})
    seconds[0] = 3600.0
    repair = request.getfixturevalue("broken")
    kept = cache.current()
    repair()

    cache.load_newest()

    assert kept is old
    wait_until(lambda: len(cache.current().items) == 2)


def test_a_failure_to_build_the_first_catalogue_is_an_error(client, stock, broken):
    stock({"Item": 5})
    failed = client.get(PATH)
    broken()

    assert failed.status_code == 503
    assert names(client.get(PATH).json) == ["Item"]
