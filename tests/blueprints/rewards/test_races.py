"""Concurrent claims and uses of one reward: one counts, in whatever process it arrives."""

from collections import Counter
from functools import partial

import pytest

from tests.support.at_once import all_at_once
from tests.support.office import signed_in

MANY = 20
SOCKETS = 6
NOTHING = "There is nothing to claim"


@pytest.fixture
def clock():
    """Several processes go by the real one."""
    return


@pytest.fixture
def settings():
    return {"RAKEBACK_RATE": "0.1"}


@pytest.fixture
def claims(app, player):
    """Twenty claims of a reward at once; counts the answers."""

    def claim(path):
        answer = app.test_client().post(path, headers=player.headers).json
        return answer.get("error") or answer["amount"]

    return lambda name: Counter(all_at_once([partial(claim, f"/rewards/{name}/claim")] * MANY))


@pytest.mark.both_databases("a race")
@pytest.mark.security("Rewards")
def test_one_of_many_concurrent_claims_of_rakeback_pays(balance, claims, has_bet):
    has_bet(1_000)

    assert claims("rakeback") == {5: 1, NOTHING: MANY - 1}
    assert balance() == 105


@pytest.mark.both_databases("a race")
@pytest.mark.security("Rewards")
def test_one_of_many_concurrent_claims_of_a_gift_pays(balance, claims, gifts, has_bet):
    gifts({"level": 1, "coins": 0.5})
    has_bet(1_000)

    assert claims("level-1") == {0.5: 1, NOTHING: MANY - 1}
    assert balance() == 100.5


@pytest.mark.both_databases("a race")
@pytest.mark.security("Rewards")
def test_one_of_many_concurrent_claims_of_a_grant_pays(app, balance, claims, player, rewards, run):
    page = f"/office/players/{player.platform_id}"
    signed_in(app, "support").act(page, "reward", amount="12.50", reason="for waiting so long")
    (granted,) = rewards()["granted"]

    assert claims(granted["id"]) == {12.5: 1, NOTHING: MANY - 1}
    assert balance() == 112.5
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("a race")
@pytest.mark.security("Rewards")
def test_one_of_many_concurrent_openings_uses_a_free_one(app, case, connect, player, rewards, run):
    page = f"/office/players/{player.platform_id}"
    signed_in(app, "support").act(page, "reward", amount="", case=case, reason="for waiting so long")
    (granted,) = rewards()["granted"]
    sockets = [connect(player) for _ in range(SOCKETS)]
    request = {"case": case, "reward": granted["id"]}

    answers = all_at_once([partial(socket.call, "case:open", request) for socket in sockets])

    assert Counter(answer["status"] for answer in answers) == {True: 1, False: SOCKETS - 1}
    assert {answer.get("error") for answer in answers} <= {None, NOTHING, "A spin is already in progress"}
    assert run("ledger", "audit")["mismatches"] == 0
