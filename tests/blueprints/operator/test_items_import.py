"""flask items import: stores all items of an array or price feed, or none."""

import json

import pytest

from models.db.connection import reading
from models.items import Item
from tests.blueprints.operator.conftest import NOT_PICTURES
from tests.support.markers import sqlite_only

AT = 1_700_000_000_123
APPID = "appid must be 730 or 252490"
PRICE = "price must be a number from 0 to 1000000000 with at most two decimals"
NAME = "marketHashName must be a text of 1 to 200 characters"
FEED_PRICE = "the price must be a whole number of cents from 0 to 100000000000"
FEED_NAME = "the name must be a text of 1 to 200 characters"


@pytest.fixture
def stored(app):  # the app has opened the database
    """Gives what is stored of every item, by name."""

    def rows():
        with reading():
            return {item["market_hash_name"]: item for item in Item.select().dicts()}

    return rows


@pytest.fixture
def array(run, write):
    """Imports an array of these rows, of the first game unless they say another."""
    return lambda *rows: run("items", "import", write([{"appid": 730} | row for row in rows]))


@pytest.fixture
def feed(run, write):
    """Imports a price feed."""

    def import_prices(prices, appid="730"):
        return run(
            "items", "import", write({"metadata": {"currency": "USD"}, "prices": prices}), "--appid", appid
        )

    return import_prices


def test_an_array_imports_new_items(array, stored):
    said = array({"marketHashName": "One", "price": 1.5}, {"marketHashName": "Two", "price": None})

    assert said == {"items": 2, "created": 2, "updated": 0}
    assert {name: item["price_cents"] for name, item in stored().items()} == {"One": 150, "Two": None}


def test_a_row_may_have_all_fields(array, stored):
    array(
        {
            "appid": 252490,
            "marketHashName": "Name",
            "gunName": "Gun",
            "skinName": "Skin",
            "image": "https://images.example.com/1.png",
            "price": 12.34,
            "customPrice": True,
            "nextPriceFetch": AT,
        }
    )

    item = stored()["Name"]
    item.pop("id")
    assert item == {
        "app_id": 252490,
        "market_hash_name": "Name",
        "gun_name": "Gun",
        "skin_name": "Skin",
        "image": "https://images.example.com/1.png",
        "price_cents": 1234,
        "custom_price": True,
        "next_price_fetch_ms": AT,
        "price_source": "import",
        "in_feed": None,
    }


def test_a_row_needs_only_game_name_and_price(array, stored):
    array({"marketHashName": "Name", "price": 1})

    item = stored()["Name"]
    assert (item["image"], item["custom_price"]) == ("", False)


@sqlite_only
def test_unknown_keys_of_a_row_are_ignored(array):
    assert array({"marketHashName": "Name", "price": 1, "colour": "red", "_id": 5})["items"] == 1


@sqlite_only
def test_an_optional_field_may_be_null(array, stored):
    nothing = dict.fromkeys(("gunName", "skinName", "image", "customPrice", "nextPriceFetch"))

    array({"marketHashName": "A | B", "price": 1} | nothing)

    item = stored()["A | B"]
    assert (item["gun_name"], item["skin_name"], item["image"], item["custom_price"]) == ("A", "B", "", False)


@sqlite_only
@pytest.mark.parametrize(
    ("name", "gun_name", "skin_name"),
    [
        ("AK-47 | Copper Tide (Field-Tested)", "AK-47", "Copper Tide"),
        ("StatTrak\u2122 AK-47 | Copper Tide (Battle-Scarred)", "StatTrak\u2122 AK-47", "Copper Tide"),
        ("\u2605 StatTrak\u2122 Karambit | Ember (Factory New)", "\u2605 StatTrak\u2122 Karambit", "Ember"),
        ("Souvenir AWP | Rain (Minimal Wear)", "Souvenir AWP", "Rain"),
        ("Sticker | Team | Paris 2023", "Sticker", "Team | Paris 2023"),
        ("Sealed Graffiti | Smile (Tiger Orange)", "Sealed Graffiti", "Smile (Tiger Orange)"),
        ("AWP | Rain (Special) (Well-Worn)", "AWP", "Rain (Special)"),
        ("\u2605 Karambit", "\u2605 Karambit", ""),
        ("Glasswing Hoodie", "Glasswing Hoodie", ""),
        ("A|B", "A|B", ""),
    ],
)
def test_gun_and_skin_are_parsed_from_the_name(array, stored, name, gun_name, skin_name):
    array({"marketHashName": name, "price": 1})

    item = stored()[name]
    assert (item["gun_name"], item["skin_name"]) == (gun_name, skin_name)


@sqlite_only
@pytest.mark.parametrize(
    ("price", "cents"),
    [
        ("0", 0),
        ("0.0", 0),
        ("0.01", 1),
        ("0.29", 29),
        ("1.10", 110),
        ("1e2", 10_000),
        ("1000000000", 100_000_000_000),
        ("null", None),
    ],
)
def test_a_price_is_imported_to_the_cent(run, write, stored, price, cents):
    run("items", "import", write(f'[{{"appid":730,"marketHashName":"Name","price":{price}}}]'))

    assert stored()["Name"]["price_cents"] == cents


@pytest.mark.parametrize("price", [None, 0])
def test_an_item_without_a_price_above_0_is_not_listed(array, client, price):
    array({"marketHashName": "Name", "price": price})

    assert client.get("/upgrader/items").json == []


@sqlite_only
def test_an_empty_array_imports_nothing(array):
    assert array() == {"items": 0, "created": 0, "updated": 0}


def test_importing_again_updates_items_without_duplicates(array, stored):
    array({"marketHashName": "One", "price": 1}, {"marketHashName": "Two", "price": 2})

    said = array({"marketHashName": "Two", "price": 3}, {"marketHashName": "Three", "price": 4})

    assert said == {"items": 2, "created": 1, "updated": 1}
    assert {name: item["price_cents"] for name, item in stored().items()} == {
        "One": 100,
        "Two": 300,
        "Three": 400,
    }


def test_a_field_left_out_keeps_its_stored_value(array, stored):
    row = {"marketHashName": "Name", "gunName": "Gun", "skinName": "Skin", "image": "/media/items/a.webp"}
    array(row | {"price": 1, "nextPriceFetch": AT})
    before = stored()["Name"]

    array({"marketHashName": "Name", "price": 2, "nextPriceFetch": AT})

    assert stored()["Name"] == before | {"price_cents": 200}


def test_a_field_of_a_row_replaces_the_stored_value(array, stored):
    array({"marketHashName": "Name", "price": 1, "gunName": "Gun", "skinName": "Skin", "image": "/a.webp"})

    array(
        {
            "marketHashName": "Name",
            "price": None,
            "gunName": "G",
            "skinName": "",
            "image": "",
            "appid": 252490,
        }
    )

    item = stored()["Name"]
    assert (item["gun_name"], item["skin_name"], item["image"]) == ("G", "", "")
    assert (item["price_cents"], item["app_id"]) == (None, 252490)


def test_names_that_differ_in_case_are_two_items(array, stored):
    array({"marketHashName": "name", "price": 1}, {"marketHashName": "NAME", "price": 2})

    assert sorted(stored()) == ["NAME", "name"]


@pytest.mark.parametrize("price", [7, None])
def test_a_custom_price_is_kept(array, stored, price):
    array({"marketHashName": "Name", "price": 5, "customPrice": True})

    array({"marketHashName": "Name", "price": price})

    assert (stored()["Name"]["price_cents"], stored()["Name"]["custom_price"]) == (500, True)


@pytest.mark.parametrize("custom", [True, False])
def test_a_row_with_custom_price_changes_a_custom_price(array, stored, custom):
    array({"marketHashName": "Name", "price": 5, "customPrice": True})

    array({"marketHashName": "Name", "price": 7, "customPrice": custom})

    assert (stored()["Name"]["price_cents"], stored()["Name"]["custom_price"]) == (700, custom)


def test_a_feed_keeps_a_custom_price(array, feed, stored):
    array(
        {"marketHashName": "Name", "price": 5, "customPrice": True}, {"marketHashName": "Other", "price": 5}
    )

    said = feed({"Name": 777, "Other": 778})

    assert said == {"items": 2, "created": 0, "updated": 2}
    assert {name: item["price_cents"] for name, item in stored().items()} == {"Name": 500, "Other": 778}


def test_a_feed_imports_items_with_parsed_names_and_prices_in_cents(feed, stored):
    feed({"\u2605 Karambit | Ember (Factory New)": 123_456})

    item = stored()["\u2605 Karambit | Ember (Factory New)"]
    assert (item["app_id"], item["price_cents"], item["custom_price"]) == (730, 123_456, False)
    assert (item["gun_name"], item["skin_name"], item["image"]) == ("\u2605 Karambit", "Ember", "")


@sqlite_only
@pytest.mark.parametrize("appid", ["730", "252490"])
def test_the_items_of_a_feed_get_the_game_of_the_option(feed, stored, appid):
    feed({"Name": 1}, appid)

    assert stored()["Name"]["app_id"] == int(appid)


def test_a_feed_keeps_images_and_names_of_existing_items(array, feed, stored):
    array({"marketHashName": "A | B", "price": 1, "gunName": "Gun", "image": "/media/items/a.webp"})

    feed({"A | B": 200})

    item = stored()["A | B"]
    assert (item["gun_name"], item["skin_name"], item["image"]) == ("Gun", "B", "/media/items/a.webp")


def test_a_long_feed_with_other_keys_is_imported(run, write, client):
    prices = {f"AK-47 | Skin {number} (Field-Tested)": number for number in range(400)}
    metadata = {
        "updated_at": "2026-01-01T00:00:00.000Z",
        "currency": "USD",
        "item_count": 400,
        "resume_from": 0,
    }

    said = run("items", "import", write({"metadata": metadata, "prices": prices}), "--appid", "730")

    listed = client.get("/upgrader/items").json
    assert said == {"items": 400, "created": 400, "updated": 0}
    assert [item["price"] for item in listed] == [f"${n // 100}.{n % 100:02}" for n in range(399, 0, -1)]
    assert {item["gunName"] for item in listed} == {"AK-47"}


def test_importing_a_feed_again_updates_prices(feed):
    feed({"One": 1, "Two": 2})

    assert feed({"Two": 3, "Three": 4}) == {"items": 2, "created": 1, "updated": 1}


def with_value(key, value):
    """The text of a row with this JSON text as one of its values."""
    row = {"appid": "730", "marketHashName": '"Name"', "price": "1"} | {key: value}
    return "{" + ",".join(f'"{name}":{text}' for name, text in row.items() if text is not None) + "}"


BAD_ROWS = [
    ("5", "must be an object"),
    ("null", "must be an object"),
    ("[]", "must be an object"),
    ("{}", APPID),
    *((with_value("appid", value), APPID) for value in (None, "null", '"730"', "true", "440", "730.5", "[]")),
    *(
        (with_value("marketHashName", value), NAME)
        for value in (None, "null", "5", '""', '"  "', f'"{"x" * 201}"', '"a\\u0000"', '"a\\ud800"')
    ),
    (with_value("price", None), "price must be a number or null"),
    *(
        (with_value("price", value), PRICE)
        for value in (
            '"5"',
            '"$5.00"',
            "true",
            "-1",
            "-0.01",
            "0.001",
            "1000000000.01",
            "1e400",
            "NaN",
            "Infinity",
            "[]",
        )
    ),
    *(
        (with_value(name, value), f"{name} must be a text of at most {most} characters")
        for name, most in (("gunName", 200), ("skinName", 200), ("image", 1000))
        for value in ("5", "true", f'"{"x" * (most + 1)}"', '"\\u0000"')
    ),
    *(
        (
            with_value("image", json.dumps(value)),
            "image must be an http or https address, or a path that begins with /",
        )
        for value in NOT_PICTURES
    ),
    *(
        (with_value("customPrice", value), "customPrice must be true or false")
        for value in ('"yes"', "1", "0")
    ),
    *(
        (with_value("nextPriceFetch", value), "nextPriceFetch must be a time in milliseconds")
        for value in ('"now"', "-1", "1.5", "true", "9007199254740992")
    ),
    (with_value("marketHashName", '"Good"'), "the file has this marketHashName twice"),
]


@sqlite_only
@pytest.mark.slow
@pytest.mark.parametrize(("row", "reason"), BAD_ROWS, ids=lambda text: text[:60])
def test_a_bad_row_stops_the_import_with_its_number_and_reason(fails, write, stored, row, reason):
    good = '{"appid":730,"marketHashName":"Good","price":1}'

    said = fails("items", "import", write(f"[{good},{row}]"))

    assert said == f"Error: row 2: {reason}"
    assert stored() == {}


@sqlite_only
@pytest.mark.parametrize("price", ["-1", "1.5", "1.0", '"5"', "true", "null", "100000000001", "NaN", "[]"])
def test_a_bad_price_of_a_feed_stops_the_import(fails, write, stored, price):
    file = write(f'{{"metadata":{{"currency":"USD"}},"prices":{{"Good":1,"Bad":{price}}}}}')

    assert fails("items", "import", file, "--appid", "730") == f"Error: row 2: {FEED_PRICE}"
    assert stored() == {}


@sqlite_only
@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x00"])
def test_a_bad_name_of_a_feed_stops_the_import(fails, write, stored, name):
    file = write({"metadata": {"currency": "USD"}, "prices": {"Good": 1, name: 1}})

    assert fails("items", "import", file, "--appid", "730") == f"Error: row 2: {FEED_NAME}"
    assert stored() == {}


@sqlite_only
@pytest.mark.parametrize("currency", ["EUR", "usd", "", None, 5])
def test_a_feed_of_another_currency_is_refused(fails, write, stored, currency):
    file = write({"metadata": {"currency": currency}, "prices": {"Good": 1}})

    assert (
        fails("items", "import", file, "--appid", "730") == "Error: the currency of a price feed must be USD"
    )
    assert stored() == {}


@sqlite_only
@pytest.mark.parametrize(
    "document",
    [
        {},
        {"metadata": {"currency": "USD"}},
        {"prices": {}},
        {"metadata": [], "prices": {}},
        {"metadata": {}, "prices": []},
    ],
    ids=str,
)
def test_an_object_that_is_not_a_feed_is_refused(fails, write, document):
    said = fails("items", "import", write(document), "--appid", "730")

    assert said == "Error: a price feed has the objects metadata and prices"


@sqlite_only
@pytest.mark.parametrize("options", [[], ["--appid", "440"], ["--appid", "0"]], ids=str)
def test_a_feed_without_the_appid_option_is_refused(fails, write, stored, options):
    file = write({"metadata": {"currency": "USD"}, "prices": {"Good": 1}})

    assert fails("items", "import", file, *options) == "Error: a price feed needs --appid 730 or 252490"
    assert stored() == {}


@sqlite_only
def test_an_appid_that_is_not_a_number_is_refused_in_one_line(fails, write):
    said = fails("items", "import", write([]), "--appid", "gamea")

    assert said.startswith("Error: ")
    assert "--appid" in said
    assert len(said.splitlines()) == 1


@sqlite_only
@pytest.mark.parametrize("document", ["5", "null", '"text"', "true"])
def test_a_file_that_is_neither_array_nor_feed_is_refused(fails, write, document):
    said = fails("items", "import", write(document))

    assert said == "Error: the file is neither an array of items nor a price feed"


@sqlite_only
@pytest.mark.parametrize(
    "content",
    ["", "not JSON", "[1,]", "[{}", "[" * 100_000, b"\xff\xfe\x00", f"[{'9' * 5000}]"],
    ids=lambda content: repr(content[:10]),
)
def test_a_file_that_is_not_json_is_refused_in_one_line(fails, write, content):
    said = fails("items", "import", write(content))

    assert said.startswith("Error: items.json is not JSON: ")
    assert len(said.splitlines()) == 1


@sqlite_only
def test_a_file_with_a_byte_order_mark_is_read(run, write):
    assert run("items", "import", write(b"\xef\xbb\xbf[]")) == {"items": 0, "created": 0, "updated": 0}


@sqlite_only
@pytest.mark.parametrize("path", ["no-such-file.json", "."])
def test_a_missing_file_is_refused_in_one_line(fails, path):
    said = fails("items", "import", path)

    assert said.startswith("Error: ")
    assert path in said
    assert len(said.splitlines()) == 1


def test_a_bad_row_keeps_the_stored_items(array, fails, write, stored):
    array({"marketHashName": "Name", "price": 5})
    before = stored()

    fails("items", "import", write([{"appid": 730, "marketHashName": "Name", "price": 6}, {}]))

    assert stored() == before
