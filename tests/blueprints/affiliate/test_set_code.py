"""POST /affiliate/set-code: a player sets one code, which cannot be changed."""

import pytest

from tests.support.markers import sqlite_only

REQUIRED = "Code is required"
CHARACTERS = "Promo code must only include letters and numbers."
LENGTH = "Code length must be between 3 and 24 letters."
CLAIMED = "This promo code already has been claimed by someone else."
ALREADY_SET = "You already have a promo code set."
UNCHANGED = "Your haven't done any changes in your promo code."


def refused(text):
    return 400, {"status": False, "message": text}


def test_a_code_is_stored_in_uppercase(set_code, me, player):
    answer = set_code(player, "Alice2026")

    assert answer == (200, {"status": True, "message": "Your promo code has been set."})
    assert me(player)["affiliate"] == {"code": "ALICE2026", "used": ""}


@sqlite_only
def test_codes_of_4_and_24_characters_are_accepted(set_code, new_player):
    assert set_code(new_player(), "abcd")[0] == 200
    assert set_code(new_player(), "x" * 24)[0] == 200


def test_a_code_may_be_all_digits_in_a_text(set_code, me, player):
    set_code(player, "007007")

    assert me(player)["affiliate"]["code"] == "007007"


BAD_CODES = {
    REQUIRED: [
        None,
        "",
        " ",
        "\t\n ",
        "\u3000",
        0,
        1234,
        12.5,
        True,
        False,
        [],
        ["ABCD"],
        {},
        {"code": "ABCD"},
    ],
    CHARACTERS: [
        "AB CD",
        " ABCD",
        "ABCD ",
        "ABCD\n",
        "AB-CD",
        "AB_CD",
        "a!",
        "%",
        "\u00c4BCD",
        "stra\u00dfe",
        "ABC\u0664",
        "\uff21\uff22\uff23\uff24",
        "\u017fale",
        "\u200babcd",
        "-" * 10_000,
    ],
    LENGTH: ["A", "abc", "a" * 25, "1" * 60_000],
}


def test_an_invalid_code_is_refused_in_the_order_of_the_contract(set_code, me, player):
    wrong = [
        (code, answer)
        for text, codes in BAD_CODES.items()
        for code in codes
        if (answer := set_code(player, code)) != refused(text)
    ]

    assert wrong == []
    assert me(player)["affiliate"]["code"] == ""


@sqlite_only
@pytest.mark.parametrize("body", [None, "", "{}", '{"Code": "ABCD"}'])
def test_a_body_without_a_code_is_refused(client, player, body):
    answer = client.post("/affiliate/set-code", data=body, headers=player.headers)

    assert (answer.status_code, answer.json) == refused(REQUIRED)


@sqlite_only
@pytest.mark.parametrize("path", ["/affiliate/set-code", "/affiliate/use-code"])
def test_a_malformed_body_is_refused_in_the_envelope_of_the_area(client, player, path):
    bodies = {
        '{"code": ': "The body is not valid JSON",
        '["ABCD"]': "The body must be a JSON object",
        '{"code": "AB\\u0000CD"}': "Text must not have NUL characters or lone surrogates",
        '{"code": "AB\\ud800CD"}': "Text must not have NUL characters or lone surrogates",
    }

    answers = {body: client.post(path, data=body, headers=player.headers) for body in bodies}

    told = {body: (answer.status_code, answer.json) for body, answer in answers.items()}
    assert told == {body: refused(text) for body, text in bodies.items()}


def test_a_code_of_another_player_is_refused_in_any_case(set_code, me, owner, player):
    assert set_code(player, "OWNER") == refused(CLAIMED)
    assert set_code(player, "owner") == refused(CLAIMED)
    assert me(player)["affiliate"]["code"] == ""


def test_after_a_refusal_another_code_can_be_set(set_code, owner, player):
    set_code(player, "OWNER")

    assert set_code(player, "MINE")[0] == 200


def test_setting_the_same_code_again_is_refused_as_unchanged(set_code, owner):
    assert set_code(owner, "OWNER") == refused(UNCHANGED)
    assert set_code(owner, "oWnEr") == refused(UNCHANGED)


def test_a_code_cannot_be_replaced(set_code, me, owner):
    assert set_code(owner, "OTHER") == refused(ALREADY_SET)
    assert me(owner)["affiliate"]["code"] == "OWNER"


def test_already_having_a_code_comes_before_the_code_being_claimed(set_code, owner, player):
    set_code(player, "MINE")

    assert set_code(player, "OWNER") == refused(ALREADY_SET)


@sqlite_only
def test_characters_and_length_come_before_having_a_code(set_code, owner):
    assert set_code(owner, "OWN-ER") == refused(CHARACTERS)
    assert set_code(owner, "OWN") == refused(LENGTH)
    assert set_code(owner, "") == refused(REQUIRED)


def test_the_special_code_cannot_be_set(make_app, new_player):
    client = make_app(AFFILIATE_SPECIAL_CODE="Welcome").test_client()
    player = new_player()

    answer = client.post("/affiliate/set-code", json={"code": "wELCOME"}, headers=player.headers)

    assert (answer.status_code, answer.json) == refused(CLAIMED)


def test_the_owner_of_a_code_who_sets_the_special_one_already_has_a_code(make_app, owner):
    client = make_app(AFFILIATE_SPECIAL_CODE="WELCOME").test_client()

    answer = client.post("/affiliate/set-code", json={"code": "WELCOME"}, headers=owner.headers)

    assert (answer.status_code, answer.json) == refused(ALREADY_SET)


@sqlite_only
@pytest.mark.parametrize(
    ("method", "path", "text"),
    [
        ("POST", "/affiliate/set-code", "Failed to set affiliate code"),
        ("POST", "/affiliate/use-code", "An error occurred while using the affiliate code."),
        ("POST", "/affiliate/claim", "Failed to claim affiliate earnings"),
        ("GET", "/affiliate/stats", "Failed to fetch affiliate statistics"),
        ("GET", "/affiliate/overview", "Something went wrong"),
    ],
)
def test_an_unexpected_failure_is_answered_with_the_text_of_the_endpoint(
    app, client, player, method, path, text
):
    def fail():
        raise RuntimeError

    app.config["PROPAGATE_EXCEPTIONS"] = False
    endpoint, _ = app.url_map.bind("localhost").match(path, method)
    app.view_functions[endpoint] = fail

    answer = client.open(path, method=method, headers=player.headers)

    assert (answer.status_code, answer.json) == (500, {"status": False, "message": text})
