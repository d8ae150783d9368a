"""flask items import: stores all items of an array or price feed, or none."""

import json

import pytest

from models.db.connection import reading
from models.items import Item
from services.items import importing as items_importing

AT = 1_700_000_000_123
APPID = "appid must be 730 or 252490"
PRICE = "price must be a number from 0 to 1000000000 with at most two decimals, or a text like $12.40"
NAME = "marketHashName must be a text of 1 to 200 characters"
PICTURE = "image must be an http or https address, or a path that begins with /"
FEED_PRICE = "the price must be a whole number of cents from 0 to 100000000000"
FEED_NAME = "the name must be a text of 1 to 200 characters"


@pytest.fixture
def stored(app):  # the app has opened the database
    """Returns the columns of every item, by name."""

    def rows():
        with reading():
            return {item["market_hash_name"]: item for item in Item.select().dicts()}

    return rows


@pytest.fixture
def array(run, write):
    """Imports an array of these rows, of the first game by default."""
    return lambda *rows: run("items", "import", write([{"appid": 730} | row for row in rows]))


@pytest.fixture
def feed(run, write):
    """Imports a price feed."""

    def import_prices(prices, appid="730"):
        return run(
            "items", "import", write({"metadata": {"currency": "USD"}, "prices": prices}), "--appid", appid
        )

    return import_prices


def counts(printed):
    """What an import has printed, without when it is shown."""
    return {name: number for name, number in printed.items() if name != "shownWithinSeconds"}


@pytest.mark.both_databases("services/items/importing.py")
def test_an_array_imports_new_items_and_updates_those_that_exist(array, stored, client):
    first = array({"marketHashName": "One", "price": 1.5}, {"marketHashName": "Two", "price": None})
    second = array(
        {"marketHashName": "Two", "price": 3},
        {"marketHashName": "two", "price": 0},
        {"marketHashName": "Three", "price": None},
    )

    assert counts(first) == {"items": 2, "created": 2, "updated": 0}
    assert counts(second) == {"items": 3, "created": 2, "updated": 1}
    prices = {name: item["price_cents"] for name, item in stored().items()}
    assert prices == {"One": 150, "Two": 300, "two": 0, "Three": None}
    # Only items with a price above 0 are listed.
    assert [item["price"] for item in client.get("/upgrader/items").json] == ["$3.00", "$1.50"]


@pytest.mark.both_databases("services/items/importing.py")
def test_a_row_may_have_all_fields(array, stored):
    row = {"appid": 252490, "marketHashName": "Name", "gunName": "Gun", "skinName": "Skin"}
    image = "https://images.example.com/1.png"
    array(row | {"image": image, "price": 12.34, "customPrice": True, "nextPriceFetch": AT})

    item = stored()["Name"]
    item.pop("id")
    assert item == {
        "app_id": 252490,
        "market_hash_name": "Name",
        "gun_name": "Gun",
        "skin_name": "Skin",
        "image": image,
        "price_cents": 1234,
        "custom_price": True,
        "next_price_fetch_ms": AT,
        "price_source": "import",
        "in_feed": None,
        "retired_at_ms": None,
    }


def test_a_row_needs_only_game_name_and_price(array, stored):
    """Other keys may be left out or null, and unknown keys are ignored."""
    nothing = dict.fromkeys(("gunName", "skinName", "image", "customPrice", "nextPriceFetch"))
    array(
        {"marketHashName": "A | B", "price": 1, "colour": "red", "_id": 5},
        {"marketHashName": "C | D", "price": 1} | nothing,
    )

    columns = ("gun_name", "skin_name", "image", "custom_price")
    kept = {tuple(item[column] for column in columns) for item in stored().values()}
    assert kept == {("A", "B", "", False), ("C", "D", "", False)}


def test_a_price_may_be_written_as_the_api_shows_it(array, stored, client):
    shown = ["$12.40", "$0.07", "$1000000000.00"]
    array(*({"marketHashName": text, "price": text} for text in shown))

    assert {item["price_cents"] for item in stored().values()} == {1240, 7, 10**11}
    prices = {item["marketHashName"]: item["price"] for item in client.get("/upgrader/items").json}
    assert prices == {text: text for text in shown}


def test_an_empty_array_after_a_byte_order_mark_imports_nothing(run, write):
    nothing = {"items": 0, "created": 0, "updated": 0}

    assert counts(run("items", "import", write(b"\xef\xbb\xbf[]"))) == nothing


def test_a_field_left_out_keeps_its_stored_value(array, stored):
    row = {"marketHashName": "Name", "gunName": "Gun", "skinName": "Skin", "image": "/media/items/a.webp"}
    array(row | {"price": 1, "nextPriceFetch": AT})
    before = stored()["Name"]
    array({"marketHashName": "Name", "price": 2, "nextPriceFetch": AT})
    assert stored()["Name"] == before | {"price_cents": 200}

    changes = {"price": None, "gunName": "G", "skinName": "", "image": "", "appid": 252490}
    array({"marketHashName": "Name", "nextPriceFetch": AT} | changes)

    changed = {"price_cents": None, "gun_name": "G", "skin_name": "", "image": "", "app_id": 252490}
    assert stored()["Name"] == before | changed | {"price_source": None}


def test_a_custom_price_stays_unless_the_row_says_otherwise(array, feed, stored):
    custom = [{"marketHashName": name, "price": 5, "customPrice": True} for name in "abcde"]
    array(*custom, {"marketHashName": "other", "price": 5})

    array(
        {"marketHashName": "a", "price": 7},
        {"marketHashName": "b", "price": None},
        {"marketHashName": "c", "price": 7, "customPrice": True},
        {"marketHashName": "d", "price": 7, "customPrice": False},
    )
    fed = feed({"e": 777, "other": 778})

    assert counts(fed) == {"items": 2, "created": 0, "updated": 2}
    assert {name: (item["price_cents"], item["custom_price"]) for name, item in stored().items()} == {
        "a": (500, True),
        "b": (500, True),
        "c": (700, True),
        "d": (700, False),
        "e": (500, True),
        "other": (778, False),
    }


def test_a_feed_import_parses_names_and_prices_and_keeps_others(array, feed, stored):
    array({"marketHashName": "A | B", "price": 1, "gunName": "Gun", "image": "/media/items/a.webp"})
    feed({"Glasswing Hoodie": 5}, "252490")

    fed = feed({"A | B": 200, "\u2605 Karambit | Ember (Factory New)": 123_456})

    assert counts(fed) == {"items": 2, "created": 1, "updated": 1}
    columns = ("app_id", "price_cents", "custom_price", "gun_name", "skin_name", "image")
    assert {name: tuple(item[column] for column in columns) for name, item in stored().items()} == {
        "A | B": (730, 200, False, "Gun", "B", "/media/items/a.webp"),
        "Glasswing Hoodie": (252490, 5, False, "Glasswing Hoodie", "", ""),
        "\u2605 Karambit | Ember (Factory New)": (730, 123_456, False, "\u2605 Karambit", "Ember", ""),
    }


def test_a_file_may_have_many_rows(feed):
    many = items_importing.ROWS_A_STATEMENT + 1

    assert feed({f"Item {number}": number for number in range(many)})["created"] == many


def with_value(key, value):
    """The text of a row with this JSON text as one of its values."""
    row = {"appid": "730", "marketHashName": '"Name"', "price": "1"} | {key: value}
    return "{" + ",".join(f'"{name}":{text}' for name, text in row.items() if text is not None) + "}"


NOT_PICTURES = [
    "javascript:alert(1)",
    "/\t/elsewhere.example/a.png",
    "/media/a.png\n",
    "data:image/png;base64,AAAA",
    "ftp://images.example.com/1.png",
    "images/1.png",
    "//images.example.com/1.png",
    "http:///1.png",
    " https://images.example.com/1.png",
]
LONG_TEXTS = {
    name: (
        f"{name} must be a text of at most {most} characters",
        ["5", "true", f'"{"x" * (most + 1)}"', '"\\u0000"'],
    )
    for name, most in (("gunName", 200), ("skinName", 200), ("image", 1000))
}
BAD_VALUES = [
    ("appid", APPID, [None, "null", '"730"', "true", "440", "730.5", "[]"]),
    (
        "marketHashName",
        NAME,
        [None, "null", "5", '""', '"  "', f'"{"x" * 201}"', '"a\\u0000"', '"a\\ud800"'],
    ),
    ("marketHashName", "the file has this marketHashName twice: Good", ['"Good"']),
    ("price", "price must be a number, a text like $12.40, or null", [None]),
    ("price", PRICE, ['"5"', '"5.00"', "true", "-1", "-0.01", "0.001", "1000000000.01", "1e400"]),
    ("price", PRICE, ["NaN", "Infinity", "[]"]),
    (
        "price",
        PRICE,
        ['"$5"', '"$5.0"', '"$5.000"', '"$.50"', '"$05.00"', '"$1,000.00"', '"$-5.00"', '"-$5.00"'],
    ),
    ("price", PRICE, ['" $5.00"', '"$5.00\\n"', '"\u20ac5.00"', '"$\u0661.00"', '"$1000000000.01"', '""']),
    *((name, reason, texts) for name, (reason, texts) in LONG_TEXTS.items()),
    ("image", PICTURE, [json.dumps(address) for address in NOT_PICTURES]),
    ("customPrice", "customPrice must be true or false", ['"yes"', "1", "0"]),
    (
        "nextPriceFetch",
        "nextPriceFetch must be a time in milliseconds",
        ['"now"', "-1", "1.5", "true", "9007199254740992"],
    ),
]
BAD_ROWS = [
    *((text, "must be an object") for text in ("5", "null", "[]")),
    ("{}", APPID),
    *((with_value(name, text), reason) for name, reason, texts in BAD_VALUES for text in texts),
]


def test_a_bad_row_stops_the_import_with_its_reason(array, fails, write, stored):
    array({"marketHashName": "Good", "price": 5})
    before = stored()
    good = '{"appid":730,"marketHashName":"Good","price":1}'

    said = [(row, fails("items", "import", write(f"[{good},{row}]"))) for row, _ in BAD_ROWS]

    assert said == [(row, f"Error: row 2: {reason}") for row, reason in BAD_ROWS]
    assert stored() == before


def feed_text(prices, currency='"USD"'):
    """The text of a price feed with these JSON texts."""
    return f'{{"metadata":{{"currency":{currency}}},"prices":{prices}}}'


BAD_PRICES = ["-1", "1.5", "1.0", '"5"', "true", "null", "100000000001", "NaN", "[]"]
BAD_FEED_NAMES = ["", "  ", "x" * 201, "a\x00"]
ANOTHER_CURRENCY = "the currency of the price feed is not USD"
BAD_FEEDS = [
    *((feed_text(f'{{"Good":1,"Bad":{price}}}'), f"row 2: {FEED_PRICE}") for price in BAD_PRICES),
    *((feed_text(json.dumps({"Good": 1, name: 1})), f"row 2: {FEED_NAME}") for name in BAD_FEED_NAMES),
    *((feed_text("{}", currency), ANOTHER_CURRENCY) for currency in ('"EUR"', '"usd"', '""', "null", "5")),
    *(
        (text, "the price feed lacks the objects metadata and prices")
        for text in (
            "{}",
            '{"metadata":{"currency":"USD"}}',
            '{"prices":{}}',
            '{"metadata":[],"prices":{}}',
            '{"metadata":{},"prices":[]}',
        )
    ),
    *(
        (text, "the file is neither an array of items nor a price feed")
        for text in ("5", "null", '"text"', "true")
    ),
]


def test_a_bad_feed_is_refused_with_its_reason(fails, write, stored):
    said = [(text, fails("items", "import", write(text), "--appid", "730")) for text, _ in BAD_FEEDS]

    assert said == [(text, f"Error: {reason}") for text, reason in BAD_FEEDS]
    assert stored() == {}


def test_a_feed_with_a_name_twice_is_refused_with_that_name(fails, write, stored):
    name = "\u2605 Karambit | Doppler (Factory New)"
    file = write(feed_text(f'{{"Good":1,"{name}":2,"{name}":2}}'))

    said = fails("items", "import", file, "--appid", "730")

    assert said == f"Error: items.json is not JSON: an object has the key '{name}' more than once"
    assert stored() == {}


def test_a_feed_needs_the_appid_of_its_game(fails, write, stored):
    file = write(feed_text('{"Good":1}'))

    said = [fails("items", "import", file, *option) for option in ([], ["--appid=440"], ["--appid=0"])]

    assert said == ["Error: a price feed needs --appid 730 or 252490"] * 3
    assert stored() == {}


def test_a_file_that_is_not_json_is_refused(fails, write):
    contents = ["", "not JSON", "[1,]", "[{}", "[" * 100_000, b"\xff\xfe\x00", f"[{'9' * 5000}]"]

    said = {content[:10]: fails("items", "import", write(content)) for content in contents}

    wrong = {
        content: line
        for content, line in said.items()
        if not line.startswith("Error: items.json is not JSON: ") or "\n" in line
    }
    assert wrong == {}
