"""POST /api/cases/create: creating a case, and every refusal."""

import json
from collections.abc import Iterator

import pytest

from services.cases import creating
from tests.blueprints.cases.conftest import BLUE, GLOVES, RED, ROCK, body, wanted

pytestmark = pytest.mark.usefixtures("inventory")

NAME = "Case name must be 3-32 characters"
FEW = "A case must have at least 2 items"
ITEM_NAME = "Each item must have a valid marketHashName"
PERCENTAGE = "Each item must have a percentage that is a number from 0 to 100"
DECIMALS = "A percentage can have at most 16 decimals"
SUM = "The percentages must sum to exactly 100: they sum to "
UNKNOWN = "Every item must exist in the inventory"
DUPLICATE = "A case with this name already exists"


def refused(message, status=400):
    return status, {"status": False, "message": message}


def test_a_player_below_level_25_is_refused_whatever_the_body(create, new_player):
    novice = new_player("novice", level=24)

    answers = [create(content, player=novice) for content in (body(), {}, "{", "[]")]

    assert answers == [refused("You must be at least level 25 to create a case", 403)] * 4


def test_a_name_is_trimmed_and_inner_blanks_become_one_space(client, create):
    answer = create(body(" \t Big\u00a0  \n Case  "))

    assert answer[1]["id"] == "big-case"
    assert client.get("/api/cases/big-case").json["name"] == "Big Case"


def test_a_name_has_3_to_32_characters(create):
    good = ("abc", "a" * 32, "\U0001f48e" * 32, f"  {'b' * 32}  ")
    bad = (None, 7, True, ["abc"], {}, "", "ab", "  a b  "[:4], "a" * 33, " \n ", "x" * 20_000)

    assert [name for name in good if create(body(name))[0] != 200] == []
    assert [name for name in bad if create(body(name)) != refused(NAME)] == []


def test_reserved_names_are_refused(create):
    expected = {
        "Level 10": "Case name cannot start with 'level'",
        "lEvEling up": "Case name cannot start with 'level'",
        "  LEVEL": "Case name cannot start with 'level'",
        "Free case": "Case name cannot start with 'free'",
        "freedom": "Case name cannot start with 'free'",
        "FREE": "Case name cannot start with 'free'",
        "\u200blevel up": "Case name cannot start with 'level'",
        "le\u00advel up": "Case name cannot start with 'level'",
        "\uff2c\uff25\uff36\uff25\uff2c up": "Case name cannot start with 'level'",
        "\U0001d4ef\U0001d4fb\U0001d4ee\U0001d4ee coins": "Case name cannot start with 'free'",
        "Pagination": "This case name is reserved",
        "CREATE": "This case name is reserved",
    }

    said = {name: create(body(name)) for name in expected}

    assert said == {name: refused(text) for name, text in expected.items()}


def test_a_name_with_invisible_or_unassigned_characters_is_refused(create):
    bad = ["\u200b\u200c\u2060", "abc\x07", "abc\ue000", "abc\ufdd0", "abc\U000e0fff", "\ufdfa" * 32]

    said = {name: create(body(name)) for name in bad}

    assert said == dict.fromkeys(bad, refused("Case name has characters that cannot be shown"))


def test_names_that_look_the_same_are_duplicates(client, create):
    create(body("Caf\u00e9 Noir"))

    same = (
        "Cafe\u0301 Noir",
        "Caf\u00e9\u200b Noir",
        "\uff23\uff21\uff26\u00c9 noir",
        "Caf\u00e9 N\u00adoir",
    )
    assert [create(body(name)) for name in same] == [refused(DUPLICATE)] * 4
    found = {
        search: client.get("/api/cases/pagination", query_string={"search": search}).json["cases"]
        for search in ("CAFE\u0301", "\uff43\uff41\uff46", "n\u200boir")
    }
    assert [search for search, cases in found.items() if len(cases) != 1] == []


def test_a_taken_name_is_refused_without_regard_to_case(create):
    create(body("Straße Nr. 1"))

    same = ("Straße Nr. 1", "STRASSE NR. 1", " straße   nr. 1 ", "Straße-Nr. 1")
    assert [create(body(name)) for name in same] == [refused(DUPLICATE)] * 4


def bad_contents() -> Iterator[tuple[object, str]]:
    """Lists of items, and why they are refused."""
    for few in (None, "items", 5, True, {}, [], wanted({RED: 100}), {"0": {}, "1": {}}):
        yield few, FEW
    for name in (None, 5, True, "", "   ", ["x"], "x" * 201):
        yield [{"marketHashName": name, "percentage": 50}, *wanted({RED: 50})], ITEM_NAME
    for item in (None, 5, "x", [], {}):
        yield [item, *wanted({RED: 50})], ITEM_NAME
    for percentage in (None, True, False, "50", "", [50], {}, -1, -0.5, 100.5, 101, 10**30):
        yield wanted({RED: percentage, BLUE: 50}), PERCENTAGE
    yield [{"marketHashName": RED}, *wanted({BLUE: 50})], PERCENTAGE
    for low, high, said in (
        (50, 49, "99, 1 is missing"),
        (50, 51, "101, 1 too much"),
        (0, 0, "0, 100 is missing"),
        (99.9, 0.2, "100.1, 0.1 too much"),
        (33.3, 66.6, "99.9, 0.1 is missing"),
        (100, 100, "200, 100 too much"),
    ):
        yield wanted({RED: low, BLUE: high}), SUM + said
    yield wanted({RED: 50}) * 2, f"An item can be in a case only once: {RED}"
    yield wanted({RED: 50, "Nothing": 50}), UNKNOWN
    yield wanted({RED: 50, RED.lower(): 50}), UNKNOWN
    yield (
        [{"marketHashName": f"Item {number}", "percentage": 1} for number in range(101)],
        ("A case can have at most 100 items"),
    )


def test_each_kind_of_invalid_items_is_refused_with_its_message(client, create):
    answers = [(text, create({"name": "My Case", "items": items})) for items, text in bad_contents()]

    wrong = [(text, answer) for text, answer in answers if answer != refused(text)]
    assert wrong == []
    assert client.get("/api/cases").json == []


def written(*percentages, name="Exactly"):
    """A body with the percentages exactly as written."""
    items = ",".join(
        f'{{"marketHashName": {json.dumps(name)}, "percentage": {percentage}}}'
        for name, percentage in zip((RED, BLUE, GLOVES, ROCK), percentages, strict=False)
    )
    return f'{{"name": "{name}", "items": [{items}]}}'


def test_percentages_whose_exact_sum_is_100_are_accepted(create):
    accepted = (
        ("33.3", "33.3", "33.4"),
        ("0.1", "0.2", "99.7"),
        ("0", "100"),
        ("0.0", "-0", "100.0"),
        ("1e1", "9.0E+1"),
        ("0.0000000000000001", "99.9999999999999999"),
        ("50.00000000000000000000000000000", "50"),
        ("12.34567890123456", "87.65432109876544"),
    )

    names = [f"Exactly {number}" for number in range(len(accepted))]
    answers = [create(written(*each, name=name)) for each, name in zip(accepted, names, strict=True)]

    assert answers == [(200, {"status": True, "id": name.lower().replace(" ", "-")}) for name in names]


def test_percentages_are_never_rounded(create):
    expected = {
        ("33.3", "33.3", "33.3999999999999"): SUM + "99.9999999999999, 0.0000000000001 is missing",
        ("50", "50.0000000000000001"): SUM + "100.0000000000000001, 0.0000000000000001 too much",
        ("0.0000000000000001", "100"): SUM + "100.0000000000000001, 0.0000000000000001 too much",
        ("50.00000000000000001", "49.99999999999999999"): DECIMALS,
        ("1e-17", "100"): DECIMALS,
        ("1e-999999", "100"): DECIMALS,
        ("NaN", "50"): PERCENTAGE,
        ("Infinity", "50"): PERCENTAGE,
        ("1e400", "50"): PERCENTAGE,
        ("100.0000000000000001", "0"): PERCENTAGE,
    }

    answers = {percentages: create(written(*percentages)) for percentages in expected}

    assert answers == {percentages: refused(message) for percentages, message in expected.items()}


def test_the_51st_case_is_refused_after_the_check_for_duplicates(create, new_player, veteran):
    limit = refused("You can only create up to 50 cases")
    for number in range(1, 50):
        create(body(f"Number {number}"))

    # A refused case does not count.
    assert create(body("Number 1")) == refused(DUPLICATE)
    assert create(body("Number 50"))[0] == 200
    assert create(body("Number 51")) == limit
    assert create(body("Number 50")) == refused(DUPLICATE)
    assert create(body("Number 51"), player=new_player("other", level=25))[0] == 200


def test_errors_come_in_the_order_of_the_rules(create, prices):
    """From a body in which all is wrong, one thing after the other is put right."""
    create(body("Taken"))
    prices({"Unpriced": None})

    said = [
        create(content)[1].get("message", "made")
        for content in (
            {"name": "x", "items": []},
            {"name": "Taken", "items": []},
            {"name": "Taken", "items": wanted({"Nothing": 50, "Unpriced": 40})},
            {"name": "Taken", "items": wanted({"Nothing": 50, "Unpriced": 50})},
            {"name": "Taken", "items": wanted({RED: 50, "Unpriced": 50})},
            {"name": "Taken", "items": wanted({RED: 50, GLOVES: 50})},
            {"name": "Untaken", "items": wanted({RED: 50, GLOVES: 50})},
        )
    ]

    assert said == [
        NAME,
        FEW,
        SUM + "90, 10 is missing",
        UNKNOWN,
        "An item has no price at the moment",
        DUPLICATE,
        "made",
    ]


def test_an_unexpected_error_is_answered_in_the_envelope(app, create, monkeypatch):
    app.config["PROPAGATE_EXCEPTIONS"] = False

    def fail(**_):
        raise RuntimeError("secret")

    monkeypatch.setattr(creating, "create", fail)

    assert create(body()) == refused("Failed to create case", 500)
