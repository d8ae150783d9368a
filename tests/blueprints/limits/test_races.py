"""Bets of a player in two production processes on one PostgreSQL, while the player's limits change."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import requests
from peewee import fn

from bench.harness.players import create_player
from bench.harness.waiting import wait_until
from models.bets import Bet
from models.db.connection import reading, writing
from models.limit_requests import LimitRequest
from tests.blueprints.limits.conftest import DAY_MS
from tests.support.apps import ITEM
from tests.support.at_once import all_at_once
from tests.support.locks import locked, waiting_for_locks

pytestmark = [pytest.mark.redis, pytest.mark.parametrize("kind", ["postgresql"], scope="module")]

IN_PROGRESS = "A spin is already in progress"
REACHED = "Your limit is reached"
EXCLUDED = "You have excluded yourself permanently"
LOCK_OF_PLAYER = "SELECT 1 FROM users WHERE id = %s FOR UPDATE"


@pytest.fixture
def app(two_processes):
    return two_processes[0]


@pytest.fixture
def player(app, request):
    return create_player(app, request.node.originalname[-24:], coins=1000)


@pytest.fixture
def sockets(urls, open_socket, player):
    """A socket of the player at each process."""
    return [open_socket(url, player) for url in urls]


@pytest.fixture
def ask(urls, player):
    """Sends a request of the player to a process, by default the first; status and body."""

    def send(method, path, body=None, *, process=0):
        answer = requests.request(method, urls[process] + path, json=body, headers=player.headers, timeout=30)
        return answer.status_code, answer.json()

    return send


@pytest.fixture
def limit(ask):
    """Changes the player's limit on what is wagered in a month; the answer's body."""

    def put(value, *, process=0):
        status, body = ask(
            "PUT", "/limits", {"kind": "wager", "period": "month", "value": value}, process=process
        )
        assert status == 200, body
        return body

    return put


@pytest.fixture
def raise_limit(limit, player):
    """Requests a higher limit, as if that was a day ago; the path that confirms it."""

    def request(value):
        pending = limit(value)
        with writing():
            earlier = LimitRequest.requested_at_ms - DAY_MS
            LimitRequest.update(requested_at_ms=earlier).where(LimitRequest.id == pending["id"]).execute()
        return f"/limits/requests/{pending['id']}/confirm"

    return request


def spin():
    return {"amount": 1, "item": ITEM}


@reading()
def wagered(player):
    """All that the player has wagered, in cents."""
    return Bet.select(fn.COALESCE(fn.SUM(Bet.wager_cents), 0)).where(Bet.user == player.id).scalar()


def play_until_refused(socket):
    """Plays until a bet is refused, and not because of a bet at the other process; that refusal."""
    while True:
        answer = socket.spin(spin())
        if answer.get("error") not in (None, IN_PROGRESS):
            return answer


@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("RTS 12B: kinds of limits")
@pytest.mark.regulation("2.5.5 Limitations")
def test_bets_at_two_processes_reach_the_limit_exactly(sockets, limit, player):
    limit(20)

    refusals = all_at_once([partial(play_until_refused, socket) for socket in sockets])

    assert wagered(player) == 2000
    assert {(answer["error"], answer["limit"], answer["period"]) for answer in refusals} == {
        (REACHED, "wager", "month")
    }


each_change = pytest.mark.parametrize(
    ("change", "error"),
    [
        (("PUT", "/limits", {"kind": "wager", "period": "month", "value": 0}), REACHED),
        (("POST", "/limits/exclusion", {"duration": "permanent"}), EXCLUDED),
    ],
    ids=["lower limit", "break"],
)


@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("RTS 12D: lower now, higher later")
@pytest.mark.regulation("2.5.5 Exclusions")
@each_change
def test_no_process_settles_a_bet_after_a_limit_or_break(sockets, limit, ask, player, change, error):
    limit(1000)
    with ThreadPoolExecutor(2) as together:
        playing = [together.submit(play_until_refused, socket) for socket in sockets]
        wait_until(lambda: wagered(player) >= 500)
        assert ask(*change, process=1)[0] == 200
        settled = wagered(player)
        refusals = [each.result() for each in playing]

    assert wagered(player) == settled >= 500
    assert [answer["error"] for answer in refusals] == [error, error]


@pytest.mark.parametrize("bet_is_first", [True, False], ids=["bet first", "change first"])
@each_change
def test_a_bet_and_a_change_at_another_process_take_turns(
    app, sockets, ask, player, change, error, bet_is_first
):
    database_url = app.extensions["services"].settings.database_url
    steps = {"change": lambda: ask(*change, process=1), "bet": lambda: sockets[0].spin(spin())}
    order = sorted(steps, reverse=not bet_is_first)
    with ThreadPoolExecutor(2) as beside:
        running = {}
        with locked(database_url, LOCK_OF_PLAYER, player.id):
            for number, name in enumerate(order, 1):
                running[name] = beside.submit(steps[name])
                wait_until(lambda number=number: waiting_for_locks(database_url) == number)
        (status, _), answer = running["change"].result(), running["bet"].result()

    assert status == 200
    assert answer.get("error") == (None if bet_is_first else error)


@pytest.mark.regulation("RTS 12D: lower now, higher later")
def test_a_raise_counts_when_it_is_confirmed_and_not_before(app, sockets, ask, limit, raise_limit, player):
    limit(0)
    path = raise_limit(1)
    database_url = app.extensions["services"].settings.database_url
    with ThreadPoolExecutor(1) as beside:
        with locked(database_url, LOCK_OF_PLAYER, player.id):
            confirming = beside.submit(ask, "POST", path, process=1)
            wait_until(lambda: waiting_for_locks(database_url) == 1)
            refused = sockets[0].spin(spin())
        assert confirming.result()[0] == 200

    assert refused["error"] == REACHED
    assert sockets[0].spin(spin())["status"] is True


def test_one_of_many_confirmations_at_two_processes_succeeds(ask, limit, raise_limit):
    limit(10)
    path = raise_limit(None)

    answers = all_at_once([partial(ask, "POST", path, process=number % 2) for number in range(8)])

    assert Counter(status for status, _ in answers) == {200: 1, 404: 7}
    assert ask("GET", "/limits")[1]["wager"]["month"] is None


def test_a_limit_confirmed_and_lowered_at_once_ends_lower(ask, limit, raise_limit):
    statuses = set()
    for value in (100, 90, 80, 70, 60):
        limit(value)
        path = raise_limit(500)
        with ThreadPoolExecutor(2) as together:
            confirmed = together.submit(ask, "POST", path, process=1)
            limit(value - 5)
            statuses.add(confirmed.result()[0])

        answer = ask("GET", "/limits")[1]
        assert (answer["wager"]["month"], answer["pending"]) == (value - 5, [])
    assert statuses <= {200, 404}


def test_one_of_two_processes_requests_for_a_limit_remains(ask, limit):
    limit(10)

    answers = all_at_once([partial(limit, 20 + number, process=number % 2) for number in range(8)])

    (pending,) = ask("GET", "/limits")[1]["pending"]
    assert pending in answers


def test_the_longest_of_concurrent_breaks_at_two_processes_remains(ask):
    answers = all_at_once(
        [
            partial(ask, "POST", "/limits/exclusion", {"duration": duration}, process=process)
            for duration in ("24h", "permanent", "7d", "365d")
            for process in (0, 1)
        ]
    )

    assert {status for status, _ in answers} <= {200, 400}
    assert ask("GET", "/limits")[1]["exclusion"] == {"until": None}
