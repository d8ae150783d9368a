"""POST /affiliate/use-code: a bonus for the first use of another player's code."""

import pytest

from models.db.connection import writing
from models.users import User
from tests.blueprints.affiliate.conftest import RECEIVED, refused

REQUIRED = "Code is required"
INVALID = "Promo code is invalid"
OWN = "You cannot use your own promo code"
ALREADY_USED = "You've already used a promo code."


def test_blanks_around_a_code_are_ignored(use_code, owner, player):
    assert use_code(player, " owner\n") == RECEIVED


def test_using_a_code_gives_the_bonus_and_makes_a_referral(connect, use_code, me, stats, owner, player, run):
    with writing():
        User.update(free_cases=3).where(User.id == player.id).execute()
    socket = connect(player)
    version = socket.expect("balance")["version"]
    socket.expect("live-bets")

    assert use_code(player, "owner") == RECEIVED

    told = me(player)
    assert (told["balance"], told["depositBonus"], told["freeCases"]) == (100.2, True, 0)
    assert told["affiliate"] == {"code": "", "used": "OWNER"}
    name, balances = socket.next()
    assert (name, float(balances["balance"]), balances["version"]) == ("balance", 100.2, version + 1)
    assert stats(owner) == [
        {
            "username": "alice",
            "avatar": "http://127.0.0.1:5000/media/neutral/avatar.webp",
            "deposited": 0,
            "withdraws": 0,
            "platformid": player.platform_id,
            "earned": -0.02,
        }
    ]
    # The bonus is posted from the house.
    assert run("ledger", "audit") == {"users": 2, "transactions": 3, "entries": 6, "mismatches": 0}


BAD_CODES = {
    REQUIRED: [None, "", "  ", 0, 1234, True, [], ["OWNER"], {}],
    INVALID: [
        *("NOBODYS", "OWNE", "OWNERS", "OWN ER", "OWN%", "OWN_R", "' OR 1=1 --"),
        *("\uff2fWNER", "A", "A" * 50_000, "\u00c4BCD"),
        # In uppercase the long s is an S.
        "\u017fale",
    ],
    OWN: ["MINE", "mINE"],
}


@pytest.mark.security("Promo codes")
def test_an_invalid_or_own_code_is_always_refused(set_code, use_code, me, owner, new_player, player):
    set_code(new_player("sam"), "SALE")
    set_code(player, "MINE")
    codes = [(code, text) for text, codes in BAD_CODES.items() for code in codes]
    for _ in range(2):
        before = me(player)

        assert [(code, use_code(player, code)) for code, _ in codes] == [
            (code, refused(text)) for code, text in codes
        ]
        assert me(player) == before
        use_code(player, "OWNER")


def test_a_second_code_is_refused_and_changes_nothing(
    set_code, use_code, me, stats, owner, new_player, player
):
    other = new_player("other")
    set_code(other, "OTHER")
    use_code(player, "OWNER")
    after_the_first = me(player)

    assert use_code(player, "OTHER") == refused(ALREADY_USED)
    assert use_code(player, "OWNER") == refused(ALREADY_USED)
    assert me(player) == after_the_first
    assert (len(stats(owner)), len(stats(other))) == (1, 0)


BREAKS = {"24h": "You are taking a break until ", "permanent": "You have excluded yourself permanently"}


@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("2.5.5 Exclusions")
@pytest.mark.parametrize("duration", BREAKS)
@pytest.mark.settings(AFFILIATE_SPECIAL_CODE="HOUSE")
def test_nobody_on_a_break_or_excluded_uses_a_code(send, use_code, me, stats, owner, player, duration):
    send(player, "POST", "/limits/exclusion", {"duration": duration})

    answers = [use_code(player, code) for code in ("OWNER", "HOUSE")]

    assert [status for status, _ in answers] == [400, 400]
    assert all(body["message"].startswith(BREAKS[duration]) for _, body in answers)
    told = me(player)
    assert (told["balance"], told["depositBonus"], told["affiliate"]["used"]) == (100, False, "")
    assert stats(owner) == []


def test_a_code_can_be_used_after_a_break(send, use_code, owner, player):
    send(player, "POST", "/limits/exclusion", {"duration": "24h"})
    with writing():
        User.update(excluded_until_ms=1).where(User.id == player.id).execute()

    assert use_code(player, "OWNER") == RECEIVED
