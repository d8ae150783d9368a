"""How battles end: once, as the log says, and to the cent."""

from contextlib import suppress
from functools import partial
from random import Random

import pytest
from cryptography.fernet import InvalidToken

from models.battles import Battle, VoidReason
from models.db.connection import reading, writing
from models.log import LogEntry
from models.users import User
from services.battles.rules import MODES, TEAMS, Rules
from services.shared.errors import Refusal
from tests.harness.spins import play_spin
from tests.support.arena import cents, escrow_cents, held_cents
from tests.support.at_once import all_at_once

COINS = 1_000
STARTS_WITH = COINS * 100
COST = 4_00


@pytest.fixture(autouse=True)
def audited(run):
    """Asserts that the books agree, and that all bets fit their seeds."""
    yield
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("fairness", "audit")["mismatches"] == 0


@pytest.fixture
def players(arena, new_player):
    return [new_player(f"player-{number}", coins=COINS) for number in range(6)]


def possible_battles():
    for mode in MODES:
        for teams in TEAMS:
            for crazy, terminal in ((False, False), (True, False), (False, True), (True, True)):
                try:
                    Rules(mode=mode, teams=teams, crazy=crazy, terminal=terminal)
                except ValueError:
                    continue
                yield {"mode": mode, "teams": teams, "crazy": crazy, "terminal": terminal}


@pytest.mark.both_databases("services/battles/seat_bets.py")
def test_each_kind_of_battle_pays_the_pot_to_the_cent(arena, players):
    locked = []
    for number, kind in enumerate(possible_battles()):
        seats = players[: sum(TEAMS[kind["teams"]])]
        if number % 3 == 0:
            seats = [seats[0], None, *seats[2:]]
        arena.poll()
        locked.append(arena.locked(*seats, times=2, **kind))
        arena.clock.advance(ms=50)
    arena.append()
    held = {player.id: cents(player) for player in players}
    assert escrow_cents() == sum(battle.cost_cents * len(battle.seats) for battle in locked)

    arena.pass_round(locked[0])
    arena.pass_round(locked[-1])
    ended = [arena.end_due(battle) for battle in locked]

    assert {battle.state for battle in ended} == {"settled"}
    for battle in ended:
        pot = sum(item.price_cents for seat in battle.drawn for item in seat)
        assert sum(battle.outcome.payouts_cents) == pot
        for seat, payout in zip(battle.seats, battle.outcome.payouts_cents, strict=True):
            if not seat.is_bot:
                held[seat.user_id] += payout
    assert held == {player.id: cents(player) for player in players}
    assert [held_cents(player) for player in players] == [0] * 6
    assert escrow_cents() == 0


@pytest.mark.both_databases("two processes end one battle")
def test_two_processes_that_end_a_battle_at_once_end_it_once(arena, app, make_app, clock, players):
    other = make_app(clock=clock).extensions["services"]
    battles = [arena.locked(*players[:2]) for _ in range(4)]
    arena.append()
    arena.pass_round(battles[0])
    beacon = arena.services.beacons.of_round(battles[0].round)
    endings = [arena.services.battle_ending, other.battle_ending] * 2

    for battle in battles:
        ended = all_at_once([partial(ending.settle, battle.id, beacon) for ending in endings])
        assert ended.count(True) == 1

    arena.append()
    assert len(ends_in_log()) == 4


@pytest.mark.both_databases("a settlement and a void race")
def test_a_battle_that_is_settled_and_made_void_at_once_ends_once(arena, players):
    battle = arena.locked(*players[:2])
    arena.append()
    arena.pass_round(battle)
    ending, beacon = arena.services.battle_ending, arena.services.beacons.of_round(battle.round)

    ended = all_at_once(
        [
            partial(ending.settle, battle.id, beacon),
            partial(ending.void, battle.id, VoidReason.BEACON),
            partial(ending.settle, battle.id, beacon),
            partial(ending.void, battle.id, VoidReason.BEACON),
        ]
    )

    assert ended.count(True) == 1
    assert len(ends_in_log()) == 1
    assert escrow_cents() == 0


def test_a_lock_that_is_not_in_the_log_in_time_makes_the_battle_void(arena, players):
    battle = arena.locked(*players[:2])
    arena.clock.now = arena.services.beacons.chain.time_ms(battle.round) - 2_000
    arena.append()
    arena.append()
    arena.pass_round(battle)

    void = arena.end_due(battle)

    assert (void.state, void.void_reason) == ("void", "late")
    assert void.server_seed is not None
    assert [cents(player) for player in players] == [STARTS_WITH] * 6


def test_a_battle_is_not_settled_before_it_is_decided_and_its_beacon_has_come(arena, players):
    battle = arena.locked(*players[:2])
    assert arena.end_due(battle).state == "locked"
    arena.append()
    assert arena.end_due(battle).state == "locked"
    arena.clock.now = arena.services.beacons.chain.time_ms(battle.round) - 1
    arena.poll()
    assert arena.end_due(battle).state == "locked"

    arena.clock.advance(ms=1)
    arena.poll()

    assert arena.end_due(battle).state == "settled"


def test_a_beacon_of_another_round_settles_nothing(arena, players):
    battle = arena.locked(*players[:2])
    arena.append()
    arena.pass_round(battle)
    beacons = arena.services.beacons

    for other in (battle.round - 1, battle.round - 2):
        beacon = beacons.keep(other, beacons._demo._sign(other).signature)
        assert not arena.services.battle_ending.settle(battle.id, beacon)

    assert arena.now(battle).state == "locked"
    assert arena.end_due(battle).state == "settled"


def test_a_network_that_has_stopped_for_a_day_makes_the_battle_void_while_a_relay_answers(
    arena, players, monkeypatch
):
    battle = arena.locked(*players[:2])
    arena.append()
    beacons = arena.services.beacons
    stopped_at = beacons.newest().beacon
    monkeypatch.setattr(beacons._demo, "newest", lambda: stopped_at)
    arena.clock.now = beacons.chain.time_ms(battle.round) + 24 * 3600 * 1000
    # No relay answers.
    assert arena.end_due(battle).state == "locked"
    arena.clock.advance(ms=-1)
    arena.poll()
    assert arena.end_due(battle).state == "locked"
    arena.clock.advance(ms=1)

    void = arena.end_due(battle)

    assert (void.state, void.void_reason) == ("void", "beacon")
    assert [cents(player) for player in players] == [STARTS_WITH] * 6


def test_a_battle_that_can_not_be_ended_does_not_keep_the_others_waiting(arena, players, run):
    broken, following = arena.locked(*players[:2]), arena.locked(*players[2:4])
    arena.append()
    arena.pass_round(following)
    seed = change_seed(broken, "")

    with pytest.raises(InvalidToken):
        arena.end_due(following)

    assert arena.now(following).state == "settled"
    change_seed(broken, seed)
    assert arena.end_due(broken).state == "settled"


def test_a_seat_is_wagered_when_its_battle_is_settled_and_not_before(arena, players):
    battle = arena.locked(*players[:2], None)
    assert wagered_cents(players[0]) == 0

    arena.end(battle)

    assert wagered_cents(players[0]) == COST


def test_a_void_battle_was_never_wagered(arena, players):
    battle = arena.locked(*players[:2])
    arena.append()
    arena.services.battle_ending.void(battle.id, VoidReason.BEACON)

    assert wagered_cents(players[0]) == 0


@pytest.mark.both_databases("locks are taken in one order")
def test_battles_of_the_same_players_beside_their_spins_do_not_block_each_other(arena, app, players):
    # PostgreSQL ends one of two transactions that wait for each other, with an error that is no refusal.
    def play(number):
        own = Random(f"player {number}")
        for _ in range(12):
            creator, *others = own.sample(players, 4)
            with suppress(Refusal):
                play_spin(app, creator, "Item of 10", clock=arena.clock)
            with suppress(Refusal):
                battle = arena.create(creator, teams="1v1v1")
                for seat, player in enumerate(others[:2], start=1):
                    with suppress(Refusal):
                        arena.join(battle, player, seat)
                    if own.random() < 0.3:
                        arena.leave(battle, own.choice([player, creator]))
                with suppress(Refusal):
                    play_spin(app, others[0], "Item of 10", clock=arena.clock)

    def run_tasks(_):
        for _ in range(12):
            arena.services.log.append_waiting()
            arena.services.log.decide_locks()
            arena.services.battles.take_back()
            for battle in decided():
                beacon = arena.services.beacons._demo._sign(battle.round)
                arena.services.battle_ending.settle(battle.id, beacon)

    all_at_once([partial(play, number) for number in range(6)] + [partial(run_tasks, 0)] * 2)


def change_seed(battle, encrypted):
    """Replace the server seed of a battle; the one that it had."""
    with writing():
        before = Battle.get_by_id(battle.id).encrypted_server_seed
        Battle.update(encrypted_server_seed=encrypted).where(Battle.id == battle.id).execute()
    return before


@reading()
def decided():
    return list(Battle.select().where(Battle.state == "locked", Battle.is_lock_in_time))


def wagered_cents(player):
    with reading():
        return User.select(User.wagered_cents).where(User.id == player.id).scalar()


@reading()
def ends_in_log():
    """The entries of the ends of battles."""
    ended = Battle.select(Battle.end_entry).where(Battle.end_entry.is_null(False))
    entries = LogEntry.select().where(
        LogEntry.text.contains('"signature"') | LogEntry.text.contains('"reason":"beacon"')
    )
    assert ended.count() == entries.count()
    return list(entries)
