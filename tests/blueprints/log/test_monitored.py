"""verify/monitor.py has nothing to object to what a server of the platform does."""

import base64

import pytest

from models.battles import State, VoidReason
from tests.harness.players import create_player
from tests.harness.servers import serving
from tests.support.battle_locks import LockedBattles, let_lock_wait
from tests.support.lost_log import redraw as redraw_seeds
from tests.support.lost_log import restore_log, resume, stored_log
from tests.support.openings import Openings, chest
from verify import monitor

pytestmark = [pytest.mark.guarantee("The public log"), pytest.mark.security("The public log")]

NEXT_KEY = base64.b64encode(b"the next key of log of the tests").decode()


@pytest.fixture
def address(app):
    """Of a server that does nothing in the background: the tests do it, by their clock."""
    with serving(app) as url:
        yield url


@pytest.fixture
def watch(address, clock, tmp_path, capsys):
    """Runs the monitor once, a minute later; its contradictions and its other lines."""

    def watch(url=None):
        clock.advance(seconds=60)
        options = [f"{url or address}/log", "--state", str(tmp_path / "state"), "--once"]
        status = monitor.main(options, now=lambda: clock.now / 1000, pause=lambda _: None)
        captured = capsys.readouterr()
        lines = (captured.out + captured.err).splitlines()
        contradictions = [line for line in lines if line.startswith("contradiction")]
        assert status == (1 if contradictions else 0), "\n".join(lines)
        return contradictions, lines

    return watch


@pytest.fixture
def announced(app, player):
    return lambda by=None: app.extensions["services"].seeds.announced(user_id=(by or player).id)


def test_a_player_who_was_erased_and_comes_back(app, log, player, logged_spin, client, run, watch):
    logged_spin()
    assert watch()[0] == []
    answer = client.post("/profile/close", json={"forfeit": True}, headers=player.headers)
    assert answer.status_code == 200
    run("users", "erase", player.platform_id, "--now", "--reason", "the player asked for it")
    again = create_player(app, "alice", platform_id=player.platform_id)
    logged_spin(again)

    assert watch()[0] == []
    assert run("log", "verify")["problems"] == 0


def test_play_and_redraws(app, log, player, new_player, logged_spin, spin, announced, watch):
    bob = new_player("bob")
    for by in (None, bob, None):
        spin(by)
    Openings(app).bet(bob, chest("chest"))
    log.append_now()
    assert watch()[0] == []

    spin()
    for _ in range(2):
        redraw_seeds(log)
        announced()
    announced(bob)
    spin()
    logged_spin(bob)

    assert watch()[0] == []


def test_a_restore(log, logged_spin, player, announced, watch):
    for _ in range(3):
        logged_spin()
    backup = stored_log()
    assert watch()[0] == []
    redraw_seeds(log)
    announced()
    log.append_now()
    assert watch()[0] == []

    restore_log(backup)
    resume(log)
    announced()
    logged_spin()
    contradictions, lines = watch()

    assert contradictions == []
    assert [line for line in lines if log.checkpoint().origin in line]


@pytest.fixture
def battles(app, new_player, clock):
    return LockedBattles(app, new_player("carol", coins=10_000), clock)


def test_battles(battles, log, clock, watch, logged_spin):
    """Settled ones, and one whose lock was signed too late."""
    for _ in range(3):
        battle = battles.lock()
        log.append_now()
        assert watch_in_time(battles, battle, watch, clock) == []
        assert battles.end(battle).state == State.SETTLED
        logged_spin()
    late = battles.lock()
    assert battles.end(late).void_reason == VoidReason.LATE

    contradictions, lines = watch()

    assert contradictions == []
    assert [line for line in lines if line.startswith("battle") and "3 bets" in line], lines


def watch_in_time(battles, battle, watch, clock):
    """Read the log when the round of a battle is published, as a monitor does that runs all the time."""
    clock.now = battles.time(battle)
    clock.advance(seconds=-60)
    return watch()[0]


def test_battles_after_a_restore(battles, log, watch, logged_spin):
    """The monitor has seen the lock that was lost."""
    logged_spin()
    kept = battles.lock()
    log.append_now()
    opened, backup = battles.open(), stored_log()
    lost = battles.lock()
    log.append_now()
    assert watch()[0] == []

    restore_log(backup)
    let_lock_wait(lost)
    resume(log)
    ends = [battles.end(battle) for battle in (kept, lost, opened)]
    contradictions, lines = watch()

    assert [battle.state for battle in ends] == [State.SETTLED, State.VOID, State.CANCELLED]
    assert contradictions == []
    assert [line for line in lines if "the lock in entry 4 was not kept" in line], lines


def test_a_change_of_the_key(app, make_app, clock, logged_spin, watch):
    logged_spin()
    assert watch()[0] == []
    for settings in ({"LOG_NEXT_KEY": NEXT_KEY}, {"LOG_SIGNING_KEY": NEXT_KEY}):
        other = make_app(clock=clock, **settings)
        other.extensions["services"].log.append_waiting()
        with serving(other) as url:
            contradictions, _ = watch(url)
        assert contradictions == []
