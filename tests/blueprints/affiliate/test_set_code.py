"""POST /affiliate/set-code: a player sets one code, which cannot be changed."""

import pytest

from tests.blueprints.affiliate.conftest import refused

REQUIRED = "Code is required"
CHARACTERS = "Promo code must only include letters and numbers."
LENGTH = "Code length must be between 3 and 24 letters."
CLAIMED = "This promo code already has been claimed by someone else."
ALREADY_SET = "You already have a promo code set."
UNCHANGED = "Your haven't done any changes in your promo code."


def test_a_code_is_stored_in_uppercase(set_code, me, new_player):
    for code in ("Alice2026", "abcd", "x" * 24, "007007"):
        player = new_player()

        assert set_code(player, code) == (200, {"status": True, "message": "Your promo code has been set."})
        assert me(player)["affiliate"] == {"code": code.upper(), "used": ""}


BAD_CODES = {
    REQUIRED: [
        *(None, "", " ", "\t\n ", "\u3000", 0, 1234, 12.5, True, False),
        *([], ["ABCD"], {}, {"code": "ABCD"}),
    ],
    CHARACTERS: [
        *("AB CD", "AB-CD", "AB_CD", "a!", "%", "\u200babcd", "-" * 10_000),
        *("\u00c4BCD", "stra\u00dfe", "ABC\u0664", "\uff21\uff22\uff23\uff24", "\u017fale"),
    ],
    LENGTH: ["A", "abc", "a" * 25, "1" * 60_000],
}


def test_invalid_codes_are_refused_in_the_contracts_order(set_code, me, player):
    wrong = [
        (code, answer)
        for text, codes in BAD_CODES.items()
        for code in codes
        if (answer := set_code(player, code)) != refused(text)
    ]

    assert wrong == []
    assert me(player)["affiliate"]["code"] == ""


@pytest.mark.security("Promo codes")
def test_a_code_of_another_player_is_refused_in_any_case(set_code, me, owner, player):
    assert set_code(player, "OWNER") == refused(CLAIMED)
    assert set_code(player, "owner") == refused(CLAIMED)
    assert me(player)["affiliate"]["code"] == ""
    # After that, another code can be set.
    assert set_code(player, "MINE")[0] == 200
    # Having a code is checked before who has the new one.
    assert set_code(player, "OWNER") == refused(ALREADY_SET)


def test_a_code_cannot_be_replaced(set_code, me, owner):
    assert set_code(owner, "OTHER") == refused(ALREADY_SET)
    assert [set_code(owner, code) for code in ("OWNER", "oWnEr")] == [refused(UNCHANGED)] * 2
    # Characters and length are checked before having a code.
    assert set_code(owner, "OWN-ER") == refused(CHARACTERS)
    assert set_code(owner, "OWN") == refused(LENGTH)
    assert set_code(owner, "") == refused(REQUIRED)
    assert me(owner)["affiliate"]["code"] == "OWNER"


@pytest.mark.security("Promo codes")
def test_the_special_code_cannot_be_set(make_app, owner, player):
    client = make_app(AFFILIATE_SPECIAL_CODE="Welcome").test_client()

    for setting, text in ((player, CLAIMED), (owner, ALREADY_SET)):
        answer = client.post("/affiliate/set-code", json={"code": "wELCOME"}, headers=setting.headers)

        assert (answer.status_code, answer.json) == refused(text)


FAILURES = {
    ("POST", "/affiliate/set-code"): "Failed to set affiliate code",
    ("POST", "/affiliate/use-code"): "An error occurred while using the affiliate code.",
    ("POST", "/affiliate/claim"): "Failed to claim affiliate earnings",
    ("GET", "/affiliate/stats"): "Failed to fetch affiliate statistics",
    ("GET", "/affiliate/overview"): "Something went wrong",
}


def test_an_unexpected_failure_has_the_text_of_its_endpoint(app, client, player):
    def fail():
        raise RuntimeError

    app.config["PROPAGATE_EXCEPTIONS"] = False
    for (method, path), text in FAILURES.items():
        endpoint, _ = app.url_map.bind("localhost").match(path, method)
        app.view_functions[endpoint] = fail

        answer = client.open(path, method=method, headers=player.headers)

        assert (answer.status_code, answer.json) == (500, {"status": False, "message": text})
