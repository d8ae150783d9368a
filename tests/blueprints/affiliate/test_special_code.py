"""The special code of the house: the same bonus, without a referral."""

import pytest

from tests.blueprints.affiliate.conftest import RECEIVED, refused

pytestmark = pytest.mark.settings(AFFILIATE_SPECIAL_CODE="Welcome")


def test_the_special_code_gives_one_bonus_and_has_no_owner(use_code, me, stats, overview, owner, player, run):
    assert use_code(player, "wELCOME") == RECEIVED

    told = me(player)
    assert (told["balance"], told["depositBonus"], told["freeCases"]) == (100.2, True, 0)
    assert told["affiliate"] == {"code": "", "used": "WELCOME"}
    for code in ("OWNER", "WELCOME"):
        assert use_code(player, code) == refused("You've already used a promo code.")
    assert stats(owner) == []
    assert overview(owner)["totalAffiliates"] == 0
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_code_that_becomes_the_special_one_loses_its_owner(
    make_app, use_code, stats, owner, new_player, run
):
    early, late = new_player("early"), new_player("late")
    use_code(early, "OWNER")
    later = make_app(AFFILIATE_SPECIAL_CODE="OWNER").test_client()

    # Its former owner may use it too.
    for player in (late, owner):
        answer = later.post("/affiliate/use-code", json={"code": "OWNER"}, headers=player.headers)

        assert (answer.status_code, answer.json) == RECEIVED
    assert [entry["username"] for entry in stats(owner)] == ["early"]
    assert run("ledger", "audit")["mismatches"] == 0
