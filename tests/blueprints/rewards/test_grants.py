"""Grants of staff, which the player claims. A large one needs a second person."""

import pytest

from tests.blueprints.rewards.conftest import NOT_FOUND, NOTHING
from tests.support.office import last_event, signed_in

REASON = "for waiting so long"


@pytest.fixture
def support(app):
    return signed_in(app, "support")


@pytest.fixture
def grant(support, player):
    """Sends the form of the player's page."""
    page = f"/office/players/{player.platform_id}"
    return lambda amount, form="reward": support.act(page, form, amount=amount, reason=REASON)


def test_a_grant_is_claimed_once(balance, claim, grant, player, rewards, run):
    grant("12.50")
    (granted,) = rewards()["granted"]
    offered = {"kind": "grant", "coins": 12.5, "case": None, "state": "offered", "expiresAt": None}
    assert granted == {"id": granted["id"]} | offered
    event = {"reward": int(granted["id"]), "amountCents": 12_50, "reason": REASON}
    assert last_event("reward.granted") == ("staff:support-person", event)
    assert balance() == 100

    assert claim(granted["id"]) == (200, {"success": True, "amount": 12.5})

    assert claim(granted["id"]) == NOTHING
    assert (balance(), rewards()["granted"][0]["state"]) == (112.5, "claimed")
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.security("Rewards")
def test_nobody_claims_the_grant_of_another_player(grant, new_player, rewards, send):
    grant("12.50")
    path = f"/rewards/{rewards()['granted'][0]['id']}/claim"

    assert send(new_player("bob"), "POST", path) == NOT_FOUND


@pytest.mark.security("Four eyes")
def test_a_grant_above_the_bound_needs_a_second_person(app, grant, rewards):
    grant("60", form="balance")
    grant("40.01")
    assert rewards()["granted"] == []

    signed_in(app, "payments").approve(2)

    assert [granted["coins"] for granted in rewards()["granted"]] == [40.01]


def test_an_amount_that_is_not_above_zero_is_refused(grant, rewards):
    assert [grant(amount).status_code for amount in ("0", "-5", "")] == [400] * 3
    assert rewards()["granted"] == []
