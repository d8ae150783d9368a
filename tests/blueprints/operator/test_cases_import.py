"""flask cases import: stores all cases of a file, or none."""

import pytest

from models.cases import Case, CaseItem
from models.db.connection import reading
from tests.harness.players import import_prices

GUN, ROCK, UNPRICED = "Gun", "Rock", "Unpriced"


@pytest.fixture(autouse=True)
def inventory(app):
    """An item of each game, and one without a price."""
    import_prices({GUN: 9, UNPRICED: None})
    import_prices({ROCK: 1}, appid=252490)


@pytest.fixture
def put(run, write):
    """Imports these rows."""
    return lambda *rows: run("cases", "import", write(list(rows)))


@pytest.fixture
def refuses(fails, write):
    """Imports these rows, of which one is bad; the error line."""
    return lambda *rows: fails("cases", "import", write(list(rows)))


@pytest.fixture
def stored(app):
    """Gives everything that is stored of the cases."""

    def rows():
        with reading():
            return [sorted(table.select().dicts(), key=str) for table in (Case, CaseItem)]

    return rows


def row(name="Case", contents=None, **more):
    items = [
        {"marketHashName": item, "percentage": percentage}
        for item, percentage in (contents or {GUN: 50, ROCK: 50}).items()
    ]
    return {"name": name, "items": items} | more


def test_cases_of_every_kind_are_imported(put, client):
    regular = (row("Mine"), row("His", kind="regular"))
    said = put(*regular, row("Level 10", kind="level"), row("Daily", kind="free"))

    assert said == {"cases": 4, "created": 4, "updated": 0}
    levels, others = (client.get(f"/api/cases?type={value}").json for value in ("true", "false"))
    assert [case["id"] for case in levels] == ["level-10"]
    assert [case["id"] for case in others] == ["his", "mine"]
    assert client.get("/api/cases/free").json["name"] == "Daily"


FACE = "https://images.example.com/case.webp"


def test_a_case_has_the_picture_of_its_import_until_that_is_removed(put, client):
    def shown():
        single, paged = (
            client.get("/api/cases/case").json,
            client.get("/api/cases/pagination").json["cases"][0],
        )
        assert single.get("image", "") == paged.get("image", "")
        return single.get("image")

    put(row(image=FACE))
    assert shown() == FACE
    put(row(contents={GUN: 100}))
    assert shown() == FACE

    put(row(image=""))

    assert shown() is None


def test_a_case_has_its_price_type_and_exact_percentages(put, client, write, run):
    put(row("Unpriced", {GUN: 50, UNPRICED: 50}))
    text = f"""[{{"name": "  My   Case ", "items": [
        {{"marketHashName": "{GUN}", "percentage": 33.3333333333333333}},
        {{"marketHashName": "{ROCK}", "percentage": 66.6666666666666667}}]}}]"""
    run("cases", "import", write(text))

    case = client.get("/api/cases/my-case").json

    # (9 / 3 + 2 / 3) / 0.95 = 3.859...
    assert (case["name"], case["price"], case["type"]) == ("My Case", 3.86, "mixed")
    unpriced = client.get("/api/cases/unpriced").json
    assert unpriced["price"] == 4.74
    assert [item["price"] for item in unpriced["items"]] == ["$9.00", None]


def test_importing_again_changes_nothing(put, stored):
    rows = (row("Mine"), row("Level 10", kind="level"), row("Daily", kind="free"))
    put(*rows)
    before = stored()

    assert put(*rows) == {"cases": 3, "created": 0, "updated": 3}
    assert stored() == before


def test_a_second_import_updates_by_name_and_keeps_the_id(put, client):
    put(row("Odds & Ends"))
    put(row("ODDS & ENDS", {GUN: 100}, kind="level", level=3))

    (case,) = client.get("/api/cases?type=all").json

    assert (case["id"], case["name"], case["price"]) == ("odds-&-ends", "ODDS & ENDS", 9.48)
    assert client.get("/api/cases?type=true").json == [case]


def test_a_level_case_needs_a_level_in_id_or_row(put, stored):
    put(
        row("Level 10 Box", kind="level"),
        row("Level 20", kind="level", level=20),
        row("VIP", kind="level", level=0),
        row("Not Level 5", kind="level", level=7),
        row("Level 30", kind="level"),
        row("Level 40", kind="level"),
    )
    # A row without a kind keeps the kind of the case, and a regular case has no level.
    put(row("Level 30", {GUN: 100}), row("Level 40", kind="regular"))

    cases, _ = stored()
    assert {case["slug"]: (case["kind"], case["required_level"]) for case in cases} == {
        "level-10-box": ("level", 10),
        "level-20": ("level", 20),
        "vip": ("level", 0),
        "not-level-5": ("level", 7),
        "level-30": ("level", 30),
        "level-40": ("regular", None),
    }


def test_importing_a_free_case_replaces_the_existing_one(put, client):
    put(row("Daily", kind="free"))
    said = put(row("Weekly", kind="free"))

    assert said == {"cases": 1, "created": 0, "updated": 1}
    assert client.get("/api/cases/free").json["name"] == "Weekly"
    assert len(client.get("/api/cases?type=all").json) == 1


def test_a_row_that_names_a_players_case_is_refused(refuses, client, new_player):
    made = client.post("/api/cases/create", json=row("Mi ne"), headers=new_player(level=25).headers)
    client.post("/api/cases/create", json=row("Mine"), headers=new_player("bob", level=25).headers)
    before = client.get("/api/cases").json

    for name in ("Mine", "MINE", "mi ne", "Mi-ne"):
        assert refuses(row("Fresh"), row(name, {GUN: 100})).startswith("Error: row 2: "), name

    assert made.status_code == 200
    assert client.get("/api/cases").json == before


SUM = "The percentages must sum to exactly 100: they sum to 99.9, 0.1 is missing"
NUMBER = "Each item must have a percentage that is a number from 0 to 100"
ITEM_NAME = "Each item must have a valid marketHashName"
UNSHOWN = "name has characters that cannot be shown"
ITEMS = "items must be an array of 1 to 1000 items"
NAME = "name must be a text of 1 to 100 characters"

LEVEL = "a level case needs a level from 0 to 999999999, here or in its id"

BAD = [
    (5, "must be an object"),
    (row(""), NAME),
    (row("x" * 101), NAME),
    (row("\u200b"), UNSHOWN),
    (row(kind="gold"), "kind must be regular, level, free"),
    (row(level=1), "level is for the kind level only"),
    (row(kind="level"), LEVEL),
    (row("Level", kind="level", level=None), LEVEL),
    (row("Level 1234567890", kind="level"), LEVEL),
    *((row(kind="level", level=level), LEVEL) for level in (-1, 1.5, True, "1", 1_000_000_000)),
    (row("Level 10", kind="level", level=5), "level must be 10, as in the id level-10"),
    (row("Pagination"), "the id pagination is reserved"),
    (row("Free case"), "the id free-case is reserved"),
    (row(".."), "the id .. is reserved"),
    ({"name": "Case"}, ITEMS),
    ({"name": "Case", "items": []}, ITEMS),
    ({"name": "Case", "items": [{"percentage": 100}]}, ITEM_NAME),
    (row(contents={GUN: 101}), NUMBER),
    (row(contents={GUN: 99.5, ROCK: 0.4}), SUM),
    (
        {"name": "Case", "items": row(contents={GUN: 50})["items"] * 2},
        f"An item can be in a case only once: {GUN}",
    ),
    (row(contents={"Nothing": 100}), "there is no item Nothing"),
    (row(contents={"\0": 100}), "there is no item \0"),
]


def test_a_bad_row_stops_the_import_and_nothing_is_stored(refuses, stored):
    good = row("Good one")

    said = [refuses(good, bad, row("Another")) for bad, _ in BAD]

    assert said == [f"Error: row 2: {problem}" for _, problem in BAD]
    assert stored() == [[], []]


def test_a_row_that_clashes_with_another_case_is_refused(put, refuses):
    twice = "Error: row 2: the file has this case twice: "
    assert refuses(row("Case"), row("CASE")) == twice + "case"
    assert refuses(row("One", kind="free"), row("Two", kind="free")) == twice + "free-case"
    assert refuses(row("A B"), row("a-b")) == "Error: row 2: another case has the id a-b"
    put(row("A B"), row("Daily", kind="free"), row("Regular"))

    shared = "Error: row 1: the free case and another one cannot share a name"
    assert refuses(row("Weekly", kind="free"), row("Daily")) == twice + "free-case"
    assert refuses(row("a-b")) == "Error: row 1: another case has the id a-b"
    assert refuses(row("Daily", kind="regular")) == refuses(row("Regular", kind="free")) == shared


def test_a_file_without_a_json_array_is_refused(fails, write):
    assert fails("cases", "import", write({})) == "Error: items.json is not a JSON array"
