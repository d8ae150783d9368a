"""Two bets at once in two production processes, with a least time between bets and a longest session."""

from functools import partial

import pytest

from bench.harness.players import create_player
from models.bets import Bet
from models.db.connection import reading, writing
from models.play_limits import PAUSE_MS
from models.users import User
from services.shared.clock import now_ms
from tests.support.apps import ITEM
from tests.support.at_once import all_at_once

pytestmark = [pytest.mark.redis, pytest.mark.parametrize("kind", ["postgresql"], scope="module")]

CYCLE_SECONDS, SESSION_MINUTES = 600, 60
TOO_SOON = {"Please wait before the next bet", "A spin is already in progress"}
TIMES = 10


@pytest.fixture(scope="module")
def rules():
    return {"GAME_MIN_CYCLE_SECONDS": str(CYCLE_SECONDS), "SESSION_LIMIT_MINUTES": str(SESSION_MINUTES)}


@pytest.fixture
def app(two_processes):
    return two_processes[0]


@pytest.fixture
def bet_at_once(app, urls, open_socket, request):
    """Lets a new player in this state bet at both processes at once; the errors, None for a settled bet."""

    def bet(number, last_bet_at_ms=0, play_began_at_ms=0):
        player = create_player(app, f"{request.node.originalname[-20:]}-{number}")
        with writing():
            state = {"last_bet_at_ms": last_bet_at_ms, "play_began_at_ms": play_began_at_ms}
            User.update(state).where(User.id == player.id).execute()
        sockets = [open_socket(url, player) for url in urls]
        answers = all_at_once([partial(socket.spin, {"amount": 1, "item": ITEM}) for socket in sockets])
        for socket in sockets:
            socket.close()
        with reading():
            assert Bet.select().where(Bet.user == player.id).count() == sum(
                each["status"] for each in answers
            )
            user = User.get_by_id(player.id)
        return [answer.get("error") for answer in answers], user

    return bet


@pytest.mark.regulation("RTS 14D: 2.5 s for games with reels")
@pytest.mark.regulation("RTS 14G: 5 s for other casino games")
def test_one_of_two_concurrent_bets_waits_for_the_minimum_time(bet_at_once):
    for number in range(TIMES):
        errors, _ = bet_at_once(number)

        assert errors.count(None) == 1
        assert TOO_SOON.issuperset(set(errors) - {None})


@pytest.mark.regulation("2.5.5 Limitations")
def test_no_process_settles_a_bet_after_the_session_time(bet_at_once):
    now = now_ms()
    state = {
        "last_bet_at_ms": now - CYCLE_SECONDS * 1000,
        "play_began_at_ms": now - SESSION_MINUTES * 60_000,
    }

    errors, _ = bet_at_once(0, **state)

    assert None not in errors
    assert "Session time limit reached" in errors


def test_one_of_two_bets_after_the_pause_begins_a_session(bet_at_once):
    now = now_ms()

    errors, user = bet_at_once(0, last_bet_at_ms=now - PAUSE_MS, play_began_at_ms=now - 2 * PAUSE_MS)

    assert errors.count(None) == 1
    assert user.play_began_at_ms == user.last_bet_at_ms >= now
