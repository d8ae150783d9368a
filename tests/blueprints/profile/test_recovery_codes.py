"""POST /profile/2fa/recovery-codes: ten codes that work once instead of the authenticator's."""

import re

import pytest

from models.db.connection import reading
from models.logins import RecoveryCode
from tests.support.two_factor import STEP_MS, Authenticator, recovery_codes_of

INVALID = (400, {"error": "Invalid 2FA code"})
DISABLED = (200, {"success": True, "message": "2FA disabled successfully"})


@pytest.fixture
def codes(app, player, authenticator):
    """Recovery codes of the player."""
    return recovery_codes_of(app, player, authenticator)


@pytest.fixture
def draw(call):
    return lambda code: call("POST", "2fa/recovery-codes", {"code": code})


@pytest.fixture
def disable(call):
    return lambda code: call("POST", "2fa/disable", {"code": code})


def test_ten_different_codes_are_drawn_and_not_cached(client, player, authenticator):
    body = {"code": authenticator.code()}
    answer = client.post("/profile/2fa/recovery-codes", json=body, headers=player.headers)

    assert (answer.status_code, set(answer.json), answer.json["success"]) == (200, {"success", "codes"}, True)
    codes = answer.json["codes"]
    assert len(set(codes)) == 10
    assert all(re.fullmatch("[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}", code) for code in codes)
    assert answer.headers["Cache-Control"] == "no-store"


def test_drawing_needs_a_code_of_the_authenticator(codes, draw, authenticator):
    assert draw(authenticator.wrong()) == INVALID
    assert draw(authenticator.code()) == INVALID
    assert draw(codes[0]) == (400, {"error": "The code must be a text of 6 digits"})
    with reading():
        assert RecoveryCode.select().count() == 10


def test_new_codes_cancel_the_earlier_ones(app, player, authenticator, codes, clock, disable):
    clock.now += STEP_MS
    newer = recovery_codes_of(app, player, authenticator)

    assert disable(codes[0]) == INVALID
    assert disable(newer[0]) == DISABLED


def test_case_and_dashes_of_a_code_are_ignored(app, player, codes, disable):
    writings = [str.upper, str.title, lambda code: code.replace("-", ""), "-{}--".format]
    for write in writings:
        assert disable(write(codes[7])) == DISABLED, write(codes[7])
        codes = recovery_codes_of(app, player, Authenticator(app, player))


def test_a_code_in_letters_that_only_look_alike_is_malformed(codes, disable):
    kelvin, full_width = "\u212a" * 12, codes[0].translate({ord("a") + n: 0xFF41 + n for n in range(26)})

    malformed = (400, {"error": "The code must be a text of 6 digits, or a recovery code"})
    assert [disable(kelvin), disable(full_width)] == [malformed] * 2


def test_turning_off_deletes_all_codes(app, player, codes, disable):
    disable(codes[0])

    with reading():
        assert RecoveryCode.select().count() == 0
    Authenticator(app, player)
    assert disable(codes[1]) == INVALID


def test_codes_of_one_player_do_not_work_for_another(app, codes, call, new_player):
    bob = new_player("bob")
    Authenticator(app, bob)

    assert call("POST", "2fa/disable", {"code": codes[0]}, by=bob) == INVALID


@pytest.mark.security("Two-factor authentication")
def test_the_codes_are_encrypted_in_the_database(codes):
    with reading():
        stored = " ".join(RecoveryCode.select(RecoveryCode.encrypted_code).scalars())

    assert [code for code in codes if code in stored or code.replace("-", "") in stored] == []


def test_drawing_and_using_codes_is_notified(codes, client, player, notifications):
    header = {"X-2FA-Code": codes[0]}
    client.post("/affiliate/claim", headers=player.headers | header)

    told = [(notification["title"], notification["message"]) for notification in notifications()]

    assert told[:2] == [
        ("Recovery code used", "A recovery code of your account was used. Codes left: 9."),
        (
            "New recovery codes",
            "New recovery codes were made for your account. Earlier ones no longer work.",
        ),
    ]
