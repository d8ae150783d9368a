"""Concurrent requests with promo codes and claims: one succeeds, the others get a later request's error."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from services.accounts import users
from services.payments import transfers as payments
from services.shared.money import Cents
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once
from tests.support.locks import locked, waiting_for_locks
from tests.support.markers import postgresql_only

MANY = 10


@pytest.fixture
def at_once(app):
    """Sends these posts, (player, path, body) each, on a thread of its own; counts what was answered."""

    def post(player, path, body):
        return app.test_client().post(path, json=body, headers=player.headers).json["message"]

    def post_all(posts):
        return Counter(all_at_once([partial(post, *one) for one in posts]))

    return post_all


@pytest.mark.both_databases("a race")
@pytest.mark.security("Promo codes")
def test_one_of_many_concurrent_uses_of_a_code_succeeds(at_once, me, overview, owner, player, run):
    answers = at_once([(player, "/affiliate/use-code", {"code": "OWNER"})] * MANY)

    assert answers == {
        "You have received a bonus of 0.20 coins.": 1,
        "You've already used a promo code.": MANY - 1,
    }
    assert me(player)["balance"] == 100.2
    assert overview(owner)["totalAffiliates"] == 1
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("a race")
@pytest.mark.security("Promo codes")
def test_one_of_many_players_who_set_a_code_gets_it(at_once, me, new_player):
    players = [new_player() for _ in range(MANY)]

    answers = at_once([(player, "/affiliate/set-code", {"code": "WANTED"}) for player in players])

    assert answers == {
        "Your promo code has been set.": 1,
        "This promo code already has been claimed by someone else.": MANY - 1,
    }
    assert Counter(me(player)["affiliate"]["code"] for player in players) == {"WANTED": 1, "": MANY - 1}


@pytest.fixture
def deposit(app):
    """Records a deposit of one coin, as the command does."""

    def record(player):
        payments.record(
            user=users.get(platform_id=player.platform_id),
            type_=payments.PaymentType.DEPOSIT,
            usd=Cents(100),
            transfer=payments.Transfer(),
            now=app.extensions["services"].clock(),
        )

    return record


@pytest.mark.both_databases("a race")
def test_a_deposit_stored_after_the_use_of_a_code_counts(deposit, use_code, stats, owner, new_player, run):
    players = [new_player() for _ in range(3)]

    with ThreadPoolExecutor(MANY) as threads:
        for player in players:
            deposits = [threads.submit(deposit, player) for _ in range(4)]
            used = threads.submit(use_code, player, "OWNER")
            deposits += [threads.submit(deposit, player) for _ in range(4)]
            assert used.result()[0] == 200
            assert [late.result() for late in deposits] == [None] * 8

    # The audit goes by the ledger's order, whatever the threads made of ours.
    assert run("ledger", "audit")["mismatches"] == 0
    assert len(stats(owner)) == len(players)
    assert all(0 <= entry["deposited"] <= 8 for entry in stats(owner))


@pytest.mark.both_databases("a race")
@pytest.mark.security("Claims")
def test_one_of_many_concurrent_claims_pays(at_once, me, overview, owner, refer, pay, lose_a_bet, run):
    alice = refer(coins=5_000)
    pay(alice, "deposit", "100.20")
    lose_a_bet(alice, 2_000)

    answers = at_once([(owner, "/affiliate/claim", None)] * MANY)

    assert answers == {"You claimed 8.00 coins": 1, "There is nothing to claim": MANY - 1}
    assert me(owner)["balance"] == 108
    assert overview(owner)["availableEarnings"] == 0
    assert run("ledger", "audit")["mismatches"] == 0


@postgresql_only
@pytest.mark.security("Claims")
def test_a_claim_begins_after_the_one_before_it(at_once, database_url, me, owner, refer, pay, lose_a_bet):
    alice = refer(coins=5_000)
    pay(alice, "deposit", "100.20")
    lose_a_bet(alice, 2_000)

    with ThreadPoolExecutor(1) as thread:
        # The first claim has computed the earnings when it waits for this row.
        with locked(database_url, "SELECT 1 FROM affiliates WHERE user_id = %s FOR UPDATE", owner.id):
            claims = thread.submit(at_once, [(owner, "/affiliate/claim", None)] * 2)
            wait_until(lambda: waiting_for_locks(database_url) == 2)
        answers = claims.result()

    assert answers == {"You claimed 8.00 coins": 1, "There is nothing to claim": 1}
    assert me(owner)["balance"] == 108
