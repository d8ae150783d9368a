"""Concurrent requests with promo codes and claims: one succeeds, the others get a later request's error."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from services.accounts import users
from services.payments import records as payments
from services.shared.money import Cents
from tests.support.at_once import all_at_once

MANY = 10


@pytest.fixture
def at_once(app):
    """Sends these posts, (player, path, body) each, on a thread of its own; counts what was answered."""

    def post(player, path, body):
        return app.test_client().post(path, json=body, headers=player.headers).json["message"]

    def post_all(posts):
        return Counter(all_at_once([partial(post, *one) for one in posts]))

    return post_all


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


@pytest.mark.security("Promo codes")
def test_one_of_many_players_who_set_a_code_gets_it(at_once, me, new_player):
    players = [new_player() for _ in range(MANY)]

    answers = at_once([(player, "/affiliate/set-code", {"code": "WANTED"}) for player in players])

    assert answers == {
        "Your promo code has been set.": 1,
        "This promo code already has been claimed by someone else.": MANY - 1,
    }
    assert Counter(me(player)["affiliate"]["code"] for player in players) == {"WANTED": 1, "": MANY - 1}


@pytest.mark.parametrize(
    ("codes", "refusal"),
    [
        (["MINE"] * MANY, "Your haven't done any changes in your promo code."),
        ([f"MINE{number}" for number in range(MANY)], "You already have a promo code set."),
    ],
    ids=["one code", "many codes"],
)
def test_one_of_many_codes_set_at_once_is_kept(at_once, me, player, codes, refusal):
    answers = at_once([(player, "/affiliate/set-code", {"code": code}) for code in codes])

    assert answers == {"Your promo code has been set.": 1, refusal: MANY - 1}
    assert me(player)["affiliate"]["code"] in codes


def test_two_players_may_use_each_others_codes_at_once(at_once, set_code, owner, player, run):
    set_code(player, "MINE")

    answers = at_once(
        [
            (player, "/affiliate/use-code", {"code": "OWNER"}),
            (owner, "/affiliate/use-code", {"code": "MINE"}),
        ]
    )

    assert answers == {"You have received a bonus of 0.20 coins.": 2}
    assert run("ledger", "audit")["mismatches"] == 0


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


@pytest.mark.security("Claims")
def test_concurrent_claims_and_deposits_pay_each_coin_once(
    client, deposit, me, overview, owner, refer, lose_a_bet, run
):
    players = [refer(coins=200) for _ in range(4)]
    for player in players:
        lose_a_bet(player, 100)

    def claim(_):
        return client.application.test_client().post("/affiliate/claim", headers=owner.headers).status_code

    with ThreadPoolExecutor(MANY) as threads:
        deposits = [threads.submit(deposit, player) for player in players for _ in range(5)]
        statuses = set(threads.map(claim, range(MANY)))
        assert [late.result() for late in deposits] == [None] * len(deposits)
    claim(owner)

    assert statuses <= {200, 400}
    earned = overview(owner)
    # 0.08 * (5 - 0.2) for each of the players, down to the cent.
    assert (earned["totalEarnings"], earned["availableEarnings"]) == (1.52, 0)
    assert me(owner)["balance"] == 101.52
    assert run("ledger", "audit")["mismatches"] == 0
