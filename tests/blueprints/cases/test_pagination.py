"""GET /api/cases/pagination: one page of the cases, filtered, searched and sorted."""

import pytest

from tests.blueprints.cases.conftest import BLUE, GLOVES, RED, ROCK, names

PATH = "/api/cases/pagination"

pytestmark = pytest.mark.usefixtures("inventory")


@pytest.fixture
def page(client):
    """Requests one page with these parameters and returns its JSON."""

    def ask(**parameters):
        answer = client.get(PATH, query_string=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json

    return ask


@pytest.fixture
def twelve(put):
    """Twelve cases. Case 12 is the newest."""
    for number in range(1, 13):
        put(f"Case {number}", {RED: 10 * (number // 2), GLOVES: 100 - 10 * (number // 2)})


def test_an_imported_case_has_all_fields_except_the_balance_type(page, client, put):
    pagination = {
        "currentPage": 1,
        "totalPages": 0,
        "totalItems": 0,
        "hasNextPage": False,
        "hasPrevPage": False,
        "limit": 10,
    }
    assert page() == {"cases": [], "pagination": pagination}
    put("Case", {RED: 50, ROCK: 50})

    answer = page()

    assert answer["pagination"] == pagination | {"totalPages": 1, "totalItems": 1}
    (listed,) = client.get("/api/cases").json
    assert answer["cases"] == [listed | {"type": "mixed", "spins": 0}]


@pytest.mark.both_databases("services/cases/queries.py")
@pytest.mark.usefixtures("twelve")
def test_pages_follow_each_other_without_gaps_in_every_order(page):
    by_time = [f"Case {number}" for number in range(1, 13)]
    orders = {
        "Oldest": by_time,
        "Most Recent": by_time[::-1],
        "Price Ascending": by_time,
        "Price Descending": by_time[::-1],
    }

    shown = {}
    for sort in orders:
        pages = [page(page=number, limit=3, sort=sort)["cases"] for number in range(1, 5)]
        shown[sort] = [case["name"] for cases in pages for case in cases]

    assert shown == orders


@pytest.mark.usefixtures("twelve")
def test_the_pagination_object_describes_the_page(page):
    expected = {
        (1, 12): (1, False, False),
        (1, 11): (2, True, False),
        (2, 11): (2, False, True),
        (2, 5): (3, True, True),
        (4, 5): (3, False, True),
        (1, 100): (1, False, False),
    }

    said = {}
    for number, limit in expected:
        pagination = page(page=number, limit=limit)["pagination"]
        said[number, limit] = tuple(pagination[key] for key in ("totalPages", "hasNextPage", "hasPrevPage"))
        assert (pagination["currentPage"], pagination["limit"]) == (number, limit)
        assert pagination["totalItems"] == 12

    assert said == expected
    past_the_end = [page(page=number) for number in (3, 10**9, 2**63, 10**30)]
    assert [answer["cases"] for answer in past_the_end] == [[]] * 4
    assert {answer["pagination"]["totalItems"] for answer in past_the_end} == {12}
    # The pages of a search have only its results.
    found = page(search="cASE 1", sort="Price Ascending", limit=2, page=2)
    assert (names(found["cases"]), found["pagination"]["totalItems"]) == (["Case 11", "Case 12"], 4)


@pytest.mark.usefixtures("twelve")
def test_a_page_has_the_ten_newest_cases_by_default(page):
    default = page()

    assert names(default["cases"]) == [f"Case {number}" for number in range(12, 2, -1)]
    empty = {"caseType": "", "page": "", "limit": "", "type": "", "search": "", "sort": ""}
    assert page(**empty) == default


def test_bad_values_are_refused_by_name(client):
    expected = {
        "page=0": "page: must be a whole number from 1",
        "page=x": "page: must be a whole number from 1",
        "limit=0": "limit: must be a whole number from 1 to 100",
        "limit=101": "limit: must be a whole number from 1 to 100",
        "type=mixed": "type: must be one of gamea, gameb, all",
        "type=730": "type: must be one of gamea, gameb, all",
        "sort=Newest": ("sort: must be one of Most Recent, Oldest, Price Descending, Price Ascending"),
        "minPrice=-1": "minPrice: must be a number from 0 to 1000000000 with at most two decimals",
        "maxPrice=x": "maxPrice: must be a number from 0 to 1000000000 with at most two decimals",
        "search=%00": "search: must not have NUL characters or lone surrogates",
        "search=%ED%A0%80": "search: must not have NUL characters or lone surrogates",
    }

    said = {query: client.get(f"{PATH}?{query}") for query in expected}

    assert {answer.status_code for answer in said.values()} == {400}
    assert {query: answer.json["error"] for query, answer in said.items()} == expected


@pytest.mark.usefixtures("twelve")
def test_a_price_range_includes_both_bounds(page):
    within = page(minPrice="1.53", maxPrice="2.53", sort="Price Ascending")

    assert [(case["name"], case["price"]) for case in within["cases"]] == [
        ("Case 2", 1.53),
        ("Case 3", 1.53),
        ("Case 4", 2.53),
        ("Case 5", 2.53),
    ]
    assert within["pagination"]["totalItems"] == 4
    assert names(page(maxPrice="0.53")["cases"]) == ["Case 1"]
    assert page(minPrice="5", maxPrice="1")["pagination"]["totalItems"] == 0


def test_the_type_selects_a_game_and_excludes_mixed_cases(page, put):
    put("First", {RED: 50, BLUE: 50})
    put("Second", {ROCK: 100})
    put("Both", {RED: 50, ROCK: 50})

    shown = {value: names(page(type=value)["cases"]) for value in ("gamea", "gameb", "all")}

    assert shown == {"gamea": ["First"], "gameb": ["Second"], "all": ["Both", "Second", "First"]}


SEARCHES = {
    "100% Luck": ["100%", "0% l", "% LUCK"],
    "a_b": ["a_b", "_"],
    "back\\slash": ["\\", "K\\S"],
    "Ünder Ärger": ["ünder", "ÄRGER", "r ä"],
    "Straße": ["STRASSE", "straße"],
    "Дракон": ["ДРАКОН", "дра"],
    "İstanbul": ["İSTANBUL", "stanbul"],
    "ΣΊΣΥΦΟΣ": ["σίσυφος"],
}


@pytest.mark.both_databases("services/cases/queries.py")
def test_a_search_is_literal_and_ignores_case_in_every_script(page, put):
    for name in (*SEARCHES, "100 Luck", "axb"):
        put(name)

    found = {search: names(page(search=search)["cases"]) for name in SEARCHES for search in SEARCHES[name]}

    assert found == {search: [name] for name, searches in SEARCHES.items() for search in searches}
    # Only names are searched.
    others = [page(search=text)["pagination"]["totalItems"] for text in ("gun", "red", "730", "regular")]
    assert others == [0] * 4


def test_pages_of_any_length_take_equally_many_queries(page, put, queries):
    counted = []
    for total in (2, 30):
        for number in range(total):
            put(f"Case {number}", {RED: 50, GLOVES: 50})
        queries.clear()
        assert len(page(limit=total, search="case", sort="Price Descending")["cases"]) == total
        counted.append(len(queries))

    assert counted == [4, 4]
