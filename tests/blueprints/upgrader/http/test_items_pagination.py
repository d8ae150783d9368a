"""GET /upgrader/items/pagination: one page of the catalogue, searched and sorted."""

import pytest

from tests.blueprints.upgrader.http.conftest import names

# Pages are cut from the catalogue in memory; what fills it is tested on both databases in test_items.py.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PATH = "/upgrader/items/pagination"

PAGE = "page: must be a whole number from 1"
LIMIT = "limit: must be a whole number from 1 to 100"
SORT = "sort: must be one of Ascending, Descending"
SEARCH = "search: must not have NUL characters or lone surrogates"


@pytest.fixture
def forty(stock):
    """Forty items: Item 40 costs 40 coins, Item 1 costs one."""
    stock({f"Item {number}": number for number in range(1, 41)})


def test_a_page_has_items_and_its_pagination(page, stock):
    stock({"Item": 5})

    answer = page()

    assert sorted(answer) == ["items", "pagination"]
    assert answer["pagination"] == {
        "currentPage": 1,
        "totalPages": 1,
        "totalItems": 1,
        "hasNextPage": False,
        "hasPrevPage": False,
        "limit": 18,
    }


def test_an_item_looks_the_same_as_in_the_whole_list(client, page, stock):
    stock(rows=[{"marketHashName": "AK-47 | Copper Tide (Field-Tested)", "price": 5.5}])

    assert page()["items"] == client.get("/upgrader/items").json


@pytest.mark.usefixtures("forty")
def test_a_page_has_the_eighteen_most_expensive_items_by_default(page):
    answer = page()

    assert names(answer["items"]) == [f"Item {number}" for number in range(40, 22, -1)]


@pytest.mark.usefixtures("forty")
def test_pages_follow_each_other_without_gaps(page):
    pages = [names(page(page=number, limit=7)["items"]) for number in range(1, 7)]

    assert [len(items) for items in pages] == [7, 7, 7, 7, 7, 5]
    assert [name for items in pages for name in items] == [f"Item {number}" for number in range(40, 0, -1)]


@pytest.mark.usefixtures("forty")
@pytest.mark.parametrize(
    ("number", "limit", "expected"),
    [
        (1, 40, {"totalPages": 1, "hasNextPage": False, "hasPrevPage": False}),
        (1, 39, {"totalPages": 2, "hasNextPage": True, "hasPrevPage": False}),
        (2, 39, {"totalPages": 2, "hasNextPage": False, "hasPrevPage": True}),
        (2, 18, {"totalPages": 3, "hasNextPage": True, "hasPrevPage": True}),
        (3, 18, {"totalPages": 3, "hasNextPage": False, "hasPrevPage": True}),
        (4, 18, {"totalPages": 3, "hasNextPage": False, "hasPrevPage": True}),
        (1, 1, {"totalPages": 40, "hasNextPage": True, "hasPrevPage": False}),
        (40, 1, {"totalPages": 40, "hasNextPage": False, "hasPrevPage": True}),
        (1, 100, {"totalPages": 1, "hasNextPage": False, "hasPrevPage": False}),
    ],
)
def test_the_pagination_object_describes_the_page(page, number, limit, expected):
    pagination = page(page=number, limit=limit)["pagination"]

    assert pagination == {"currentPage": number, "limit": limit, "totalItems": 40} | expected


@pytest.mark.parametrize("number", [1, 2])
def test_an_empty_result_has_no_pages(page, number):
    answer = page(page=number)

    assert answer == {
        "items": [],
        "pagination": {
            "currentPage": number,
            "totalPages": 0,
            "totalItems": 0,
            "hasNextPage": False,
            "hasPrevPage": False,
            "limit": 18,
        },
    }


@pytest.mark.usefixtures("forty")
@pytest.mark.parametrize("zeros", [1, 9, 18, 19, 30, 5000])
def test_a_page_past_the_end_is_empty_with_true_totals(page, zeros):
    answer = page(page="1" + "0" * zeros)

    answer["pagination"].pop("currentPage")
    assert answer == {
        "items": [],
        "pagination": {
            "totalPages": 3,
            "totalItems": 40,
            "hasNextPage": False,
            "hasPrevPage": True,
            "limit": 18,
        },
    }


@pytest.mark.parametrize("number", [4, 10**9, 2**63, 10**30])
def test_a_page_past_the_end_repeats_the_requested_number(page, number):
    assert page(page=number)["pagination"]["currentPage"] == number


@pytest.mark.usefixtures("forty")
@pytest.mark.parametrize("name", ["page", "limit", "sort", "search"])
def test_an_empty_value_is_the_default(page, name):
    assert page(**{name: ""}) == page()


@pytest.mark.parametrize(
    "value", ["0", "-1", "1.5", "1.0", "abc", "1e3", "+1", " 1", "0x1", "\u0661", "1,000", "true", "1\n"]
)
@pytest.mark.parametrize(("name", "error"), [("page", PAGE), ("limit", LIMIT)])
def test_a_parameter_that_is_not_a_whole_number_is_refused_by_name(client, name, error, value):
    answer = client.get(PATH, query_string={name: value})

    assert (answer.status_code, answer.json) == (400, {"error": error})


@pytest.mark.parametrize("value", ["101", "1000000000", "1" + "0" * 30])
def test_a_limit_above_a_hundred_is_refused_by_name(client, value):
    answer = client.get(PATH, query_string={"limit": value})

    assert (answer.status_code, answer.json) == (400, {"error": LIMIT})


@pytest.mark.parametrize("value", ["ascending", "DESCENDING", "price", "Descending ", "Most Recent"])
def test_an_unknown_sort_is_refused_by_name(client, value):
    answer = client.get(PATH, query_string={"sort": value})

    assert (answer.status_code, answer.json) == (400, {"error": SORT})


@pytest.mark.parametrize("value", ["%00", "ak%00", "%ED%A0%80", "ak%ED%BF%BF47"])
def test_a_search_with_characters_that_cannot_be_stored_is_refused_by_name(client, value):
    answer = client.get(f"{PATH}?search={value}")

    assert (answer.status_code, answer.json) == (400, {"error": SEARCH})


def test_every_bad_parameter_is_named(client):
    answer = client.get(f"{PATH}?page=0&limit=101&sort=up")

    assert answer.status_code == 400
    assert set(answer.json["error"].split("; ")) == {PAGE, LIMIT, SORT}


def test_an_unknown_parameter_is_ignored(page, stock):
    stock({"Item": 5})

    assert page(colour="red") == page()


def test_items_without_a_price_above_zero_are_left_out_and_not_counted(page, stock):
    stock({"No price": None, "Nothing": 0, "Something": 0.01})

    answer = page()

    assert names(answer["items"]) == ["Something"]
    assert answer["pagination"]["totalItems"] == 1


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("Descending", ["dear", "a", "b", "cheap"]), ("Ascending", ["cheap", "a", "b", "dear"])],
)
def test_a_page_is_sorted_by_price_and_then_by_name(page, stock, sort, expected):
    stock({"b": 5, "cheap": 4.99, "dear": 5.01, "a": 5})

    assert names(page(sort=sort)["items"]) == expected


@pytest.mark.usefixtures("forty")
def test_items_are_sorted_before_the_page_is_cut(page):
    answer = page(sort="Ascending", page=2, limit=3)

    assert names(answer["items"]) == ["Item 4", "Item 5", "Item 6"]


CATALOGUE = {
    "AK-47 | Copper Tide (Field-Tested)": 9,
    "StatTrak\u2122 AK-47 | Night Ferry (Field-Tested)": 8,
    "M4A1-S | Tide Pool (Factory New)": 7,
    "\u2605 Karambit": 6,
}
COPPER, STATTRAK, TIDE_POOL, KARAMBIT = CATALOGUE


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("AK-47", [COPPER, STATTRAK]),
        ("ak-47", [COPPER, STATTRAK]),
        ("K-4", [COPPER, STATTRAK]),
        ("Tide", [COPPER, TIDE_POOL]),
        ("COPPER TIDE", [COPPER]),
        ("stattrak\u2122", [STATTRAK]),
        ("\u2605", [KARAMBIT]),
        ("karambit", [KARAMBIT]),
        ("night ferry", [STATTRAK]),
        (" ", [COPPER, STATTRAK, TIDE_POOL, KARAMBIT]),
        ("AK-47 Copper", []),
        ("AK-47 | Copper", []),
        ("47Copper", []),
        ("Field-Tested", []),
        ("dragon", []),
    ],
)
def test_a_search_finds_a_part_of_the_guns_or_of_the_skins_name(page, stock, search, found):
    stock(CATALOGUE)

    answer = page(search=search)

    assert names(answer["items"]) == found
    assert answer["pagination"]["totalItems"] == len(found)


@pytest.mark.parametrize("character", ["%", "_", "\\", "*", "?", ".", "[", "'", '"', "|", "&", "+", "#"])
def test_a_search_is_literal(page, stock, character):
    stock({f"With{character}in it": 2, "Without any": 1})

    assert names(page(search=character)["items"]) == [f"With{character}in it"]


@pytest.mark.parametrize("search", ["a%b", "a_b", "a\\b", "\\%", "%%"])
def test_wildcards_in_a_search_match_themselves(page, stock, search):
    stock({"a b": 2, "axb": 1})

    assert page(search=search)["items"] == []


@pytest.mark.parametrize(
    ("name", "search"),
    [
        ("\u00c9toile", "\u00e9TOILE"),
        ("\u0414\u0440\u0430\u043a\u043e\u043d", "\u0414\u0420\u0410\u041a\u041e\u041d"),
        ("Stra\u00dfe", "STRASSE"),
        ("\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3"),
        ("\ud558\ub298 \U00010400", "\U00010428"),
    ],
)
def test_a_search_folds_case_in_every_script(page, stock, name, search):
    stock({name: 5, "Another": 4})

    assert names(page(search=search)["items"]) == [name]


def test_a_search_uses_the_imported_gun_and_skin_names(page, stock):
    stock(rows=[{"marketHashName": "Item", "gunName": "Cannon", "skinName": "Waves", "price": 5}])

    found = {search: len(page(search=search)["items"]) for search in ("cannon", "waves", "item")}

    assert found == {"cannon": 1, "waves": 1, "item": 0}


@pytest.mark.usefixtures("forty")
def test_the_pages_of_a_search_have_only_its_results(page):
    answer = page(search="item 1", page=2, limit=4, sort="Ascending")

    assert names(answer["items"]) == ["Item 13", "Item 14", "Item 15", "Item 16"]
    assert answer["pagination"]["totalItems"] == 11
    assert answer["pagination"]["totalPages"] == 3


@pytest.mark.usefixtures("forty")
def test_a_page_that_the_client_has_is_answered_with_304(client):
    tag = client.get(f"{PATH}?page=2").headers["ETag"]

    answer = client.get(f"{PATH}?page=2", headers={"If-None-Match": tag})

    assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", tag)


@pytest.mark.usefixtures("forty")
def test_different_pages_have_different_etags(client):
    queries = ("", "?page=2", "?limit=17", "?sort=Ascending", "?search=1")

    tags = {client.get(PATH + query).headers["ETag"] for query in queries}

    assert len(tags) == len(queries)


def test_a_changed_page_has_a_new_etag(client, stock, make_app):
    stock({"Item": 5})
    tag = client.get(PATH).headers["ETag"]
    stock({"Item": 6})

    answer = make_app().test_client().get(PATH, headers={"If-None-Match": tag})

    assert answer.status_code == 200
    assert answer.headers["ETag"] != tag


def test_a_refused_page_has_no_etag(client):
    answer = client.get(f"{PATH}?page=0", headers={"If-None-Match": "*"})

    assert answer.status_code == 400
    assert "ETag" not in answer.headers


def test_a_head_request_has_the_same_headers_and_no_body(client, stock):
    stock({"Item": 5})
    whole = client.get(PATH)

    head = client.head(PATH)

    assert (head.status_code, head.data) == (200, b"")
    for name in ("ETag", "Content-Length", "Content-Type"):
        assert head.headers[name] == whole.headers[name]


def test_a_page_of_the_cached_catalogue_runs_no_query(client, stock, queries):
    stock({"Item": 5})
    client.get(PATH)
    queries.clear()

    client.get(f"{PATH}?search=item&sort=Ascending")

    assert queries == []


def test_pages_and_the_whole_list_come_from_the_same_catalogue(client, page, stock):
    stock({"Item": 5})
    client.get("/upgrader/items")

    stock({"New": 6})

    assert names(page()["items"]) == ["Item"]
