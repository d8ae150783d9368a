"""flask battles: what it prints, and that it voids no battle and takes no beacon but the right ones."""

import pytest

from models.battles import VoidReason
from tests.harness.relays import Network, fake_relay
from tests.harness.spins import Clock
from tests.support.office import last_event
from tests.support.played_battles import COST, PlayedBattles

REASON = "the network has stopped"


@pytest.fixture
def network():
    return Network()


@pytest.fixture
def clock(network):
    return Clock(network.chain.time_ms(1_000) + 500)


@pytest.fixture
def relay(network):
    """The only relay. It has the round that is due now."""
    with fake_relay(network) as relay:
        relay.publish(1_000)
        yield relay


@pytest.fixture
def settings(relay, network):
    return {"BEACON_URLS": relay.url, "BEACON_CHAIN_HASH": network.chain.hash}


@pytest.fixture
def battles(app):
    return PlayedBattles(app)


@pytest.fixture
def rich(new_player):
    return new_player("rich", coins=1_000)


@pytest.fixture
def locked(battles, rich):
    """A battle whose lock was in time, and whose round is not published."""
    public_id = battles.call_bots(battles.create(rich)).public_id
    return battles.decide(public_id, is_in_time=True)


@pytest.fixture
def void(fails, locked):
    """The line with which the command refuses."""
    return lambda: fails("battles", "void", locked.public_id, "--reason", REASON)


def test_a_battle_is_shown_with_its_seats_and_its_end(run, rich, locked, network, app):
    run("battles", "beacon", str(locked.round), network.sign(locked.round))
    app.extensions["services"].battle_upkeep.end_due()

    shown = run("battles", "show", locked.public_id)

    assert (shown["id"], shown["state"], shown["cost"], shown["lockInTime"]) == (
        locked.public_id,
        "settled",
        COST,
        True,
    )
    assert shown["players"] == [rich.platform_id, None]
    assert [seat["bot"] for seat in shown["seats"]] == [False, True]
    assert shown["signature"] == network.sign(locked.round)
    assert len(shown["winners"]) == 1


def test_an_open_battle_is_shown_with_its_free_seats(run, battles, rich):
    public_id = battles.create(rich, private=True, teams="2v2")

    shown = run("battles", "show", public_id)

    assert shown["state"] == "open"
    assert (shown["lockInTime"], shown["endedAt"], shown["endEntry"]) == (None, None, None)
    assert shown["players"] == [rich.platform_id, None, None, None]


def test_a_battle_that_there_is_not_is_named_in_no_command(fails):
    for command in (["show", "none"], ["void", "none", "--reason", REASON]):
        assert fails("battles", *command) == "Error: Battle not found"


def test_a_battle_whose_round_has_not_come_for_a_day_is_void(run, locked, rich, balance, clock):
    clock.advance(seconds=10, days=1)

    shown = run("battles", "void", locked.public_id, "--reason", REASON)

    assert (shown["state"], shown["reason"]) == ("void", "beacon")
    assert balance(rich) == 1_000
    assert last_event("battle.voided")[1] == {
        "battle": locked.public_id,
        "round": locked.round,
        "reason": REASON,
    }


def test_no_battle_is_void_before_its_round_is_a_day_late(void, locked, clock):
    clock.advance(days=1)

    assert void() == f"Error: round {locked.round} is not a day late yet"


def test_no_battle_is_void_while_no_relay_answers(void, clock, relay):
    clock.advance(days=2)
    relay.answer = lambda _round: b"away"

    assert void().startswith("Error: no relay gives beacons")


@pytest.mark.security("Battles")
def test_no_battle_is_void_when_a_relay_has_its_round_or_a_later_one(void, locked, clock, relay):
    clock.advance(days=2)
    for newest in (locked.round + 1, locked.round):
        relay.publish(newest)

        assert void() == (
            f"Error: the network has published round {locked.round}: a server settles the battle"
        )


def test_only_a_locked_battle_can_be_void(fails, battles, rich, locked, void):
    opened = battles.create(rich)
    battles.void(locked.public_id, VoidReason.BEACON)

    assert "the battle is open" in fails("battles", "void", opened, "--reason", REASON)
    assert "the battle is void" in void()


def test_a_void_needs_a_reason(fails, locked):
    assert "'--reason'" in fails("battles", "void", locked.public_id)


@pytest.mark.security("Relays of beacons")
def test_a_beacon_by_hand_is_taken_only_if_it_is_that_of_its_round(run, fails, locked, network):
    genuine = network.sign(locked.round)
    for forged in (network.sign(locked.round + 1), genuine.upper(), genuine[:-2], "0" * 96):
        line = fails("battles", "beacon", str(locked.round), forged)
        assert line.startswith(f"Error: this is not the beacon of round {locked.round}: ")

    assert run("battles", "beacon", str(locked.round), genuine)["round"] == locked.round
    assert last_event("beacon.entered")[1]["round"] == locked.round


def test_a_beacon_by_hand_ends_its_battles_in_running_servers(app, run, locked, network, battles):
    run("battles", "beacon", str(locked.round), network.sign(locked.round))

    app.extensions["services"].battle_upkeep.end_due()

    assert run("battles", "show", locked.public_id)["state"] == "settled"


@pytest.mark.settings(BEACON_URLS="")
def test_without_relays_there_is_nothing_to_void_or_enter(fails):
    for command in (["void", "none", "--reason", REASON], ["beacon", "1", "0" * 96]):
        assert fails("battles", *command) == "Error: Battles are not offered"
