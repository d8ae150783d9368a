"""Rakeback: a share of what the player's bets cost on average, claimed at most once an hour."""

from functools import partial

import pytest

from models.db.connection import reading, writing
from models.ledger import LedgerTransaction
from models.rewards import Reward
from services.maintenance.ledger_audit import audit
from tests.blueprints.limits.conftest import NOW
from tests.blueprints.rewards.conftest import NOTHING
from tests.harness.spins import play_spin
from tests.support.apps import ITEM
from tests.support.at_once import all_at_once

HOUR_MS = 3_600_000
MANY = 20


@pytest.mark.both_databases("services/rewards/service.py", "services/rewards/rows.py")
def test_rakeback_is_a_share_of_what_bets_cost_on_average(
    app, add_item, balance, claim, player, rewards, run, send
):
    add_item(price=10)
    for _ in range(3):
        play_spin(app, player, ITEM, amount=1)
    before = balance()
    # A tenth of 0.05 x 3 coins.
    assert rewards()["rakeback"] == {"available": 0.01, "rate": 0.1, "claimableAt": None}

    assert claim() == (200, {"success": True, "amount": 0.01})

    assert balance() == pytest.approx(before + 0.01)
    assert rewards()["rakeback"] == {"available": 0, "rate": 0.1, "claimableAt": NOW + HOUR_MS}
    with reading():
        transaction = LedgerTransaction.get(LedgerTransaction.kind == "reward")
        posted = {(each.account, each.user_id, each.amount_cents) for each in transaction.entries}
    assert posted == {("house.rewards", None, -1), ("balance", player.id, 1)}
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_claim_pays_what_was_bet_since_the_last_one_an_hour_later(claim, clock, has_bet):
    has_bet(1_000)
    assert claim()[1]["amount"] == 5
    has_bet(1_500)
    clock.advance(ms=HOUR_MS - 1)
    assert claim() == NOTHING

    clock.advance(ms=1)

    assert claim()[1]["amount"] == 2.5


def test_less_than_a_cent_is_nothing_and_stays_until_it_is_one(claim, has_bet):
    has_bet(1)
    assert claim() == NOTHING

    has_bet(2)

    assert claim()[1]["amount"] == 0.01


def test_without_a_rate_there_is_no_rakeback(make_app, clock, has_bet, player):
    has_bet(1_000)
    client = make_app(clock=clock, RAKEBACK_RATE="0").test_client()

    shown = client.get("/rewards", headers=player.headers).json["data"]["rakeback"]

    assert shown == {"available": 0, "rate": 0, "claimableAt": None}
    answer = client.post("/rewards/rakeback/claim", headers=player.headers)
    assert (answer.status_code, answer.json) == NOTHING


@pytest.mark.both_databases("a race")
def test_one_of_twenty_claims_at_once_in_two_processes_pays(
    app, make_app, settings, balance, clock, has_bet, player
):
    has_bet(1_000)
    apps = [app, make_app(clock=clock, **settings)]

    def claim(of):
        return of.test_client().post("/rewards/rakeback/claim", headers=player.headers).json

    answers = all_at_once([partial(claim, of) for of in apps * (MANY // 2)])

    assert answers.count(NOTHING[1]) == MANY - 1
    assert balance() == 105


@pytest.mark.security("Rewards")
def test_a_player_on_a_break_is_shown_nothing_and_claims_afterwards(
    claim, clock, has_bet, player, rewards, send
):
    has_bet(1_000)
    send(player, "POST", "/limits/exclusion", {"duration": "24h"})

    assert rewards() == {"rakeback": None, "levels": [], "daily": None, "bonus": None, "granted": []}
    assert claim() == (403, {"error": "You are taking a break until 2026-11-23T13:45:01Z"})

    clock.advance(days=1, seconds=1)
    assert claim()[1]["amount"] == 5


@pytest.mark.security("Rewards")
def test_a_suspended_player_can_claim_nothing(claim, has_bet, player, run):
    has_bet(1_000)
    run("users", "suspend", player.platform_id)

    assert claim() == (403, {"error": "Account suspended"})


@pytest.mark.both_databases("services/maintenance/ledger_audit.py")
def test_the_audit_names_a_reward_that_differs_from_its_posting(claim, has_bet):
    has_bet(1_000)
    claim()
    with writing():
        Reward.update(coins_cents=501).execute()
        reward = Reward.get()

    assert {line for line in audit().mismatches if "reward" in line} == {
        "house.rewards differs from the rewards that were paid",
        f"reward {reward.id} differs from its posting",
    }
