"""The least time between bets, the longest play session, and reality checks, on open sockets."""

import pytest

from tasks.reality_checks import RealityChecks
from tests.harness.waiting import wait_until

MINUTE_MS = 60_000
REALITY_CHECK = "limits:reality-check"


@pytest.fixture
def rules():
    """The settings of the app."""
    return {}


@pytest.fixture
def rounds(monkeypatch):
    """Grows by one with each round of reality checks."""
    done = []
    send_due = RealityChecks.send_due
    monkeypatch.setattr(RealityChecks, "send_due", lambda checks: (send_due(checks), done.append(1)))
    return done


def see_sockets(rounds):
    """Wait for a whole round, which sees the sockets that are connected by now."""
    begun = len(rounds)
    wait_until(lambda: len(rounds) > begun + 1)


@pytest.fixture
def settings(rules, rounds):
    return rules


@pytest.fixture
def app(app):
    for task in app.extensions["realtime"].tasks:
        task.every_seconds = min(task.every_seconds, 0.02)
    return app


@pytest.fixture
def socket(connect, player, rules, rounds):
    """A socket of the player, which the reality checks have seen."""
    opened = connect(player)
    if "REALITY_CHECK_MINUTES" in rules:
        opened.expect("live-bets")
        see_sockets(rounds)
    return opened


@pytest.fixture
def spin(spins_of, player):
    """Plays a spin, which wins or loses; the refusal, None for a settled spin."""
    play = spins_of(player)
    return lambda amount=1, **options: play(amount, **options).get("error")


@pytest.mark.regulation("RTS 14D: 2.5 s for games with reels")
@pytest.mark.regulation("RTS 14G: 5 s for other casino games")
@pytest.mark.parametrize("rules", [{"GAME_MIN_CYCLE_SECONDS": "2.5"}])
def test_a_bet_waits_for_the_minimum_time_after_the_last(spin, clock):
    spin()

    clock.now += 2_499
    assert spin() == "Please wait before the next bet"
    clock.now += 1
    assert spin() is None


@pytest.mark.both_databases("a race")
@pytest.mark.parametrize("rules", [{"GAME_MIN_CYCLE_SECONDS": "2.5"}])
def test_one_of_the_bets_at_once_at_two_apps_is_settled(bet_at_once):
    assert [bet_at_once() for _ in range(3)] == [1, 0, 0]


@pytest.mark.parametrize("rules", [{"GAME_MIN_CYCLE_SECONDS": "2.5"}])
def test_a_repeated_request_id_need_not_wait(spin):
    named = {"clientSeed": "a-seed-of-ones-own", "requestId": "once"}
    spin(**named)

    assert spin(**named) is None


@pytest.mark.regulation("2.5.5 Limitations")
@pytest.mark.parametrize("rules", [{"SESSION_LIMIT_MINUTES": "60"}])
def test_a_player_pauses_half_an_hour_after_the_session_time(spin, clock):
    for _ in range(3):
        spin()
        clock.now += 20 * MINUTE_MS

    assert spin() == "Session time limit reached"
    # 30 minutes after the last bet.
    clock.now += 10 * MINUTE_MS - 1
    assert spin() == "Session time limit reached"
    clock.now += 1
    assert spin() is None


@pytest.mark.regulation("RTS 13B: reality checks")
@pytest.mark.parametrize("rules", [{"REALITY_CHECK_MINUTES": "60"}])
def test_a_player_gets_a_reality_check_at_each_interval(spin, socket, clock):
    since = clock.now
    spin(2.5)
    clock.now += 29 * MINUTE_MS
    spin(9, wins=True)
    clock.now += 29 * MINUTE_MS
    spin(1)

    clock.now += 2 * MINUTE_MS

    assert socket.expect(REALITY_CHECK) == {
        "since": since,
        "minutes": 60,
        "wagered": 12.5,
        "paid": 10,
        "net": -2.5,
    }
    for _ in range(3):
        clock.now += 20 * MINUTE_MS
        spin(1)
    assert socket.expect(REALITY_CHECK)["minutes"] == 120


@pytest.mark.regulation("RTS 13B: reality checks")
@pytest.mark.parametrize("rules", [{"REALITY_CHECK_MINUTES": "20"}])
def test_a_pause_resets_the_time_to_the_next_reality_check(spin, socket, clock):
    spin(1)
    clock.now += 31 * MINUTE_MS
    spin(2)
    clock.now += 20 * MINUTE_MS

    check = socket.expect(REALITY_CHECK)

    assert (check["minutes"], check["wagered"]) == (20, 2)
