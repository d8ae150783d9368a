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
