"""The battles of the demo: what waits for a visitor, and that it comes again."""

import pytest

from models.battles import Battle
from models.db.connection import reading
from services.battles.queries import ListedState, listed
from services.demo import seed
from services.demo.battles import DemoBattles
from services.shared.pagination import Place
from tests.harness.players import create_player
from tests.harness.spins import Clock

HOUR_MS = 3_600_000


@pytest.fixture
def clock():
    return Clock(1_795_000_000_000)


@pytest.fixture
def services(app):
    """Those of an app with the demo data, which knows the newest beacon."""
    services = app.extensions["services"]
    seed.seed(services)
    for number in range(5):
        platform_id = seed.FIRST_PLATFORM_ID_OF_BETS + number
        seed.player(services, f"player-{number}", platform_id, now=services.clock())
    services.beacons.ask_all()
    return services


@pytest.fixture
def demo(services):
    return DemoBattles(services)


def battles(state):
    """The public battles in this state, the oldest first."""
    return listed(state=state, place=Place(number=1, limit=100)).rows[::-1]


@pytest.mark.both_databases("services/demo/battles.py")
def test_three_battles_wait_with_a_free_seat_each_and_one_has_begun(demo):
    demo.keep()

    waiting = battles(ListedState.OPEN)
    assert [(battle.teams, len(battle.seats) - battle.seats_taken) for battle in waiting] == [
        ("1v1", 1),
        ("1v1v1", 1),
        ("2v2", 1),
    ]
    assert waiting[0].cost_cents < 100
    assert {seat.is_bot for battle in waiting for seat in battle.seats if seat.client_seed} == {True, False}
    assert [battle.teams for battle in battles(ListedState.RUNNING)] == ["1v1v1v1"]


@pytest.mark.both_databases("services/demo/battles.py")
def test_a_second_look_creates_nothing(demo):
    demo.keep()
    before = _versions()

    demo.keep()

    assert _versions() == before


def test_a_battle_that_is_gone_is_created_anew(demo, services, clock):
    demo.keep()
    clock.advance(ms=HOUR_MS)
    services.beacons.look_up()
    services.battle_upkeep.cancel_due()
    assert battles(ListedState.OPEN) == []

    demo.keep()

    assert len(battles(ListedState.OPEN)) == 3


def test_the_battle_that_runs_waits_while_the_beacon_is_late(demo, services, clock):
    clock.advance(seconds=60)

    demo.keep()
    assert [battle.teams for battle in battles(ListedState.OPEN)][3:] == ["1v1v1v1"]

    services.beacons.ask_all()
    demo.keep()
    assert [battle.teams for battle in battles(ListedState.RUNNING)] == ["1v1v1v1"]


def test_only_demo_players_pay(demo, app, balance):
    other = create_player(app, "somebody", coins=100)

    demo.keep()

    assert balance(other) == 100


def test_without_demo_players_there_are_no_demo_battles(app):
    DemoBattles(app.extensions["services"]).keep()

    assert _versions() == []


@reading()
def _versions():
    return list(Battle.select(Battle.id, Battle.version).order_by(Battle.id).tuples())
