"""What follows from the wagers of players counts a battle when it is settled."""

import pytest

from models.db.connection import reading
from services.accounts import users
from services.limits import play_statistics
from services.shared.levels import level_of
from services.wallet import affiliates
from tests.harness.spins import Clock, at
from tests.support.battles import Battles

MINUTE_MS = 60_000


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def battles(app):
    return Battles(app)


@pytest.fixture
def alice(new_player):
    return new_player("alice", coins=2_000)


@pytest.fixture
def bob(new_player):
    return new_player("bob", coins=2_000)


def test_the_leaderboard_and_the_level_count_a_battle_when_it_is_settled(battles, alice, bob, client):
    locked = battles.open(alice, bob, times=20)
    battles.void(battles.open(alice, bob, times=30))
    assert client.get("/leaderboard").json == []

    battles.settle(locked)

    shown = client.get("/leaderboard").json
    assert [entry["wager"] for entry in shown] == [locked.cost_cents / 100] * 2
    with reading():
        assert level_of(users.get_by_id(alice.id)) == 1


def test_the_owner_of_a_promo_code_earns_by_battles_that_are_settled(
    battles, alice, bob, new_player, clock, run
):
    owner = new_player("owner")
    battles.play(alice, bob, times=10)
    affiliates.set_code(user_id=owner.id, code="OWNER", special=None, now=clock())
    affiliates.use_code(user_id=alice.id, code="OWNER", special=None, now=clock())
    run("payments", "record", alice.platform_id, "deposit", "500")
    battles.open(alice, bob)
    battles.void(battles.open(alice, bob))
    assert affiliates.overview(owner_id=owner.id).available == 0

    battle = battles.play(alice, bob, times=20)

    # A part of what the house keeps on average.
    kept_cents = battle.cost_cents * battle.counted_edge_ppm / 1_000_000
    overview = affiliates.overview(owner_id=owner.id)
    assert overview.available == int(kept_cents * overview.commission_percent / 100)
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.settings(WITHDRAWAL_MIN_WAGERED="1")
def test_a_battle_is_wagered_for_a_withdrawal_when_it_is_settled(battles, alice, bob, send, run):
    run("payments", "record", alice.platform_id, "deposit", "5")
    locked = battles.open(alice, bob)

    def withdraw():
        asked = {"method": "demo", "amount": 5, "to": "anywhere"}
        return send(alice, "POST", "/payments/withdrawals", asked)

    assert withdraw() == (400, {"error": "Wager your deposits first", "missing": 5})

    battles.settle(locked)

    assert withdraw()[0] == 201


def test_a_play_session_lasts_from_the_first_seat_and_sums_what_is_settled(battles, alice, bob, clock):
    began = clock()
    locked = battles.open(alice, bob)
    clock.advance(minutes=20)
    battles.settle(locked)
    clock.advance(minutes=20)

    sessions = play_statistics.running_play_sessions([alice.id], longer_than=MINUTE_MS, now=clock())

    session = sessions[alice.id]
    assert (session.since, session.minutes, session.wagered) == (began, 40, locked.cost_cents)
    assert session.paid > 0
