"""GET /upgrader/items/pagination: one page of the catalogue, searched and sorted.

All tests share one app: pages are cut from the catalogue in memory.
"""

import pytest

from tests.blueprints.upgrader.http.conftest import names
from tests.support.apps import fresh_app, import_item

PATH = "/upgrader/items/pagination"

PAGE = "page: must be a whole number from 1"
LIMIT = "limit: must be a whole number from 1 to 100"
SORT = "sort: must be one of Ascending, Descending"
WEARS = ("Battle-Scarred", "Factory New", "Field-Tested", "Minimal Wear", "Well-Worn")
SEARCH = "search: must not have NUL characters or lone surrogates"

COPPER = "AK-47 | Copper Tide (Field-Tested)"
STATTRAK = "StatTrak\u2122 AK-47 | Night Ferry (Field-Tested)"
TIDE_POOL = "M4A1-S | Tide Pool (Factory New)"
KARAMBIT = "\u2605 Karambit"
SPECIAL = "%_\\*?.['\"|&+#"
SCRIPTS = {
    "\u00c9toile": "\u00e9TOILE",
    "\u0414\u0440\u0430\u043a\u043e\u043d": "\u0414\u0420\u0410\u041a\u041e\u041d",
    "Stra\u00dfe": "STRASSE",
    "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2": "\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3",
    "\ud558\ub298 \U00010400": "\U00010428",
}
"""Names, and searches that find them."""

# Forty items, the most expensive first; of the two that cost the same, a comes before b.
DESCENDING = [
    *(COPPER, STATTRAK, TIDE_POOL, KARAMBIT, "Brass | Horn", "a", "b"),
    *(f"With{character}in it" for character in SPECIAL),
    *("c d", "cxd", *SCRIPTS),
    *(f"Filler {number}" for number in range(1, 14)),
]
ASCENDING = [*DESCENDING[:4:-1], "Brass | Horn", *DESCENDING[3::-1]]
ASCENDING[-7:-5] = ["a", "b"]

UNLIKE_OTHERS = {
    "Brass | Horn": {"gunName": "Cannon", "skinName": "Waves"},
    "Filler 13": {"appid": 252_490},
}


@pytest.fixture(scope="module")
def client(sqlite_files, tmp_path_factory):
    with fresh_app(sqlite_files, tmp_path_factory.mktemp("pages")) as app:
        for place, name in enumerate(DESCENDING):
            price = 50 - place if name != "b" else 50 - place + 1
            import_item(name, price=price, **UNLIKE_OTHERS.get(name, {}))
        import_item("No price", price=None)
        import_item("Costs nothing", price=0)
        yield app.test_client()


def test_a_page_has_the_eighteen_most_expensive_items_by_default(page):
    answer = page()

    assert sorted(answer) == ["items", "pagination"]
    assert names(answer["items"]) == DESCENDING[:18]


@pytest.mark.parametrize(("sort", "expected"), [("Descending", DESCENDING), ("Ascending", ASCENDING)])
def test_pages_follow_each_other_by_price_and_then_by_name(page, sort, expected):
    pages = [names(page(sort=sort, page=number, limit=7)["items"]) for number in range(1, 7)]

    assert [len(items) for items in pages] == [7, 7, 7, 7, 7, 5]
    assert [name for items in pages for name in items] == expected


def test_the_pagination_object_describes_the_page(page):
    assert page(page=2, limit=18)["pagination"] == {
        "currentPage": 2,
        "totalPages": 3,
        "totalItems": 40,
        "hasNextPage": True,
        "hasPrevPage": True,
        "limit": 18,
    }
    # The number of pages; whether there is a next and a previous page.
    expected = {(1, 40): (1, False, False), (1, 39): (2, True, False), (2, 39): (2, False, True)}
    for (number, limit), described in expected.items():
        found = page(page=number, limit=limit)["pagination"]
        assert (found["totalPages"], found["hasNextPage"], found["hasPrevPage"]) == described


def test_an_empty_result_has_no_pages(page):
    totals = {"totalPages": 0, "totalItems": 0, "hasNextPage": False, "hasPrevPage": False, "limit": 18}
    for number in (1, 2):
        answer = page(search="dragon", page=number)

        assert answer == {"items": [], "pagination": {"currentPage": number} | totals}


def test_a_page_past_the_end_is_empty_with_true_totals(page):
    totals = {"totalPages": 3, "totalItems": 40, "hasNextPage": False, "hasPrevPage": True, "limit": 18}
    for number in (4, 10**9, 2**63, 10**30):
        assert page(page=number) == {"items": [], "pagination": totals | {"currentPage": number}}
    assert page(page="1" + "0" * 5000)["items"] == []


NO_WHOLE_NUMBERS = (
    *("0", "-1", "1.5", "1.0", "abc", "1e3", "+1", " 1", "0x1", "\u0661", "1,000", "true", "1\n"),
)
NO_AMOUNTS = ("-1", "0.001", "1e400", "NaN", "x", " 1", "true", '"5"', "1000000000.01")
WRONG_AMOUNT = "must be a number from 0 to 1000000000 with at most two decimals"
REFUSED = {
    "minPrice": (f"minPrice: {WRONG_AMOUNT}", NO_AMOUNTS),
    "maxPrice": (f"maxPrice: {WRONG_AMOUNT}", NO_AMOUNTS),
    "type": ("type: must be one of gamea, gameb, all", ("730", "GAMEA", "mixed")),
    "wear": (f"wear: must be one of {', '.join(WEARS)}, all", ("field-tested", "Mint")),
    "page": (PAGE, NO_WHOLE_NUMBERS),
    "limit": (LIMIT, (*NO_WHOLE_NUMBERS, "101", "1000000000", "1" + "0" * 30)),
    "sort": (SORT, ("ascending", "DESCENDING", "price", "Descending ", "Most Recent")),
    "search": (SEARCH, ("%00", "ak%00", "%ED%A0%80", "ak%ED%BF%BF47")),
}


@pytest.mark.parametrize("parameter", REFUSED)
def test_a_parameter_with_a_bad_value_is_refused_by_name(client, parameter):
    error, values = REFUSED[parameter]
    for value in values:
        query = f"search={value}" if parameter == "search" else {parameter: value}
        answer = client.get(PATH, query_string=query)

        assert (answer.status_code, answer.json) == (400, {"error": error}), value


def test_every_bad_parameter_is_named(client):
    answer = client.get(f"{PATH}?page=0&limit=101&sort=up")

    assert answer.status_code == 400
    assert set(answer.json["error"].split("; ")) == {PAGE, LIMIT, SORT}


def test_a_search_finds_items_in_whose_names_each_word_occurs(page):
    expected = {
        "AK-47": [COPPER, STATTRAK],
        "ak-47": [COPPER, STATTRAK],
        "K-4": [COPPER, STATTRAK],
        "Tide": [COPPER, TIDE_POOL],
        "COPPER TIDE": [COPPER],
        "stattrak\u2122": [STATTRAK],
        "\u2605": [KARAMBIT],
        "karambit": [KARAMBIT],
        "night ferry": [STATTRAK],
        "t ferry": [STATTRAK],
        "ak47": [COPPER, STATTRAK],
        "tide ak-47": [COPPER],
        "AK-47 | Copper": [COPPER],
        COPPER: [COPPER],
        "stattrak ak": [STATTRAK],
        "Field-Tested": [COPPER, STATTRAK],
        "M4A1S  |  (Factory": [TIDE_POOL],
        "etoile": ["\u00c9toile"],
        "\u2605 | ()": [],
        **{search: [] for search in ("  ", "47Copper", "copper ferry")},
        # The imported names of gun and skin, besides the full name.
        "cannon": ["Brass | Horn"],
        "waves": ["Brass | Horn"],
        "horn": ["Brass | Horn"],
    }

    answers = {search: page(search=search) for search in expected}

    assert {search: names(answer["items"]) for search, answer in answers.items()} == expected
    totals = {search: answer["pagination"]["totalItems"] for search, answer in answers.items()}
    assert totals == {search: len(found) for search, found in expected.items()}


def test_a_name_selects_the_item_with_exactly_this_full_name(page):
    expected = {COPPER: [COPPER], COPPER.lower(): [], "AK-47": [], "a": ["a"]}

    assert {name: names(page(name=name)["items"]) for name in expected} == expected


def test_a_search_is_literal(page):
    expected = {character: [f"With{character}in it"] for character in SPECIAL}
    expected |= {wildcards: [] for wildcards in ("c%d", "c_d", "c\\d", "\\%", "%%")}

    assert {search: names(page(search=search)["items"]) for search in expected} == expected


def test_a_search_folds_case_in_every_script(page):
    found = {name: names(page(search=search)["items"]) for name, search in SCRIPTS.items()}

    assert found == {name: [name] for name in SCRIPTS}


@pytest.mark.parametrize("sort", ["Descending", "Ascending"])
def test_a_price_range_includes_both_bounds(page, sort):
    # The first six cost 50 to 45, "b" as much as "a", and the rest one less each.
    expected = [KARAMBIT, "Brass | Horn", "a", "b"]

    answer = page(minPrice="44", maxPrice="47.00", sort=sort)

    assert sorted(names(answer["items"])) == sorted(expected)
    assert answer["pagination"]["totalItems"] == 4
    assert names(page(minPrice="49.01", sort=sort)["items"]) == [COPPER]
    assert names(page(maxPrice="11", sort=sort)["items"]) == ["Filler 13"]
    assert page(minPrice=47, maxPrice=44, sort=sort)["items"] == []


def test_a_wear_finds_the_items_with_it_in_their_names(page):
    assert names(page(wear="Field-Tested")["items"]) == [COPPER, STATTRAK]
    assert names(page(wear="Factory New")["items"]) == [TIDE_POOL]
    assert page(wear="Well-Worn")["items"] == []


def test_the_type_is_the_game_of_the_items(page):
    assert names(page(type="gameb")["items"]) == ["Filler 13"]
    assert names(page(type="gamea", limit=40)["items"]) == DESCENDING[:-1]
