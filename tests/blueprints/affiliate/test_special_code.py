"""The special code of the house: the same bonus, without a referral."""

import pytest

RECEIVED = (200, {"status": True, "message": "You have received a bonus of 0.2 coins."})


def refused(text):
    return 400, {"status": False, "message": text}


@pytest.fixture
def app(make_app):
    return make_app(AFFILIATE_SPECIAL_CODE="Welcome")


def test_the_special_code_gives_the_bonus_in_any_case(use_code, me, player):
    answer = use_code(player, "wELCOME")

    assert answer == RECEIVED
    told = me(player)
    assert (told["balance"], told["depositBonus"], told["freeCases"]) == (100.2, True, 0)
    assert told["affiliate"] == {"code": "", "used": "WELCOME"}


def test_the_special_code_uses_up_the_one_use(use_code, owner, player):
    use_code(player, "WELCOME")

    assert use_code(player, "OWNER") == refused("You've already used a promo code.")
    assert use_code(player, "WELCOME") == refused("You've already used a promo code.")


def test_the_special_code_has_no_owner(use_code, stats, overview, owner, player, run):
    use_code(player, "WELCOME")

    assert stats(owner) == []
    assert overview(owner)["totalAffiliates"] == 0
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_players_code_that_becomes_the_special_one_has_no_owner(
    make_app, use_code, stats, owner, new_player, run
):
    early, late = new_player("early"), new_player("late")
    use_code(early, "OWNER")
    later = make_app(AFFILIATE_SPECIAL_CODE="OWNER").test_client()

    answer = later.post("/affiliate/use-code", json={"code": "OWNER"}, headers=late.headers)

    assert (answer.status_code, answer.json) == RECEIVED
    assert [entry["username"] for entry in stats(owner)] == ["early"]
    assert run("ledger", "audit")["mismatches"] == 0


def test_the_former_owner_of_the_special_code_may_use_it(make_app, owner):
    later = make_app(AFFILIATE_SPECIAL_CODE="OWNER").test_client()

    answer = later.post("/affiliate/use-code", json={"code": "OWNER"}, headers=owner.headers)

    assert (answer.status_code, answer.json) == RECEIVED


def test_without_the_setting_there_is_no_special_code(make_app, player):
    plain = make_app().test_client()

    answer = plain.post("/affiliate/use-code", json={"code": "WELCOME"}, headers=player.headers)

    assert (answer.status_code, answer.json) == refused("Promo code is invalid")
