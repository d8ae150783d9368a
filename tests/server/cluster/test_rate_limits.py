"""Rate limits of several processes: one for each client, and shares of it while Redis is away."""

import itertools

import pytest
import requests
import websocket

from bench.harness.players import create_player
from bench.harness.sockets import Transport
from bench.harness.waiting import wait_until
from services.shared import shared_rate_limiter

pytestmark = pytest.mark.redis

LOGIN_STARTS, EVENTS = 20, 30
ADDRESSES = (f"192.0.2.{number}" for number in itertools.count(1))


@pytest.fixture(scope="module")
def changes():
    return {"RATELIMIT_ENABLED": "1", "ADDRESS_HANDSHAKES_PER_MINUTE": "5", "TRUSTED_PROXIES": "1"}


@pytest.fixture(autouse=True)
def call_seconds(monkeypatch):
    """Long, because a machine that runs other tests may stop this one for a while."""
    monkeypatch.setattr(shared_rate_limiter, "CALL_SECONDS", 10.0)


@pytest.fixture
def forwarded():
    """The header of a client address that no other test uses."""
    return {"X-Forwarded-For": next(ADDRESSES)}


@pytest.fixture
def login_statuses(forwarded):
    def statuses(url, count):
        address = f"{url}/auth/platform"
        answers = (
            requests.get(address, headers=forwarded, allow_redirects=False, timeout=10) for _ in range(count)
        )
        return [answer.status_code for answer in answers]

    return statuses


def test_requests_to_all_processes_count_together(two, login_statuses):
    (_, first), (_, second) = two

    login_statuses(first, LOGIN_STARTS - 5)

    assert login_statuses(second, 6) == [302] * 5 + [429]
    assert login_statuses(first, 1) == [429]


def test_a_player_who_reconnects_to_another_process_keeps_the_events_counted_so_far(two, open_socket):
    (app, first), (_, second) = two
    player = create_player(app)
    socket = open_socket(first, player)
    for _ in range(EVENTS - 1):
        socket.spin("nonsense")
    socket.close()

    socket = open_socket(second, player)
    errors = [socket.spin("nonsense")["error"] for _ in range(2)]

    assert errors == ["Invalid request", "Too many requests"]


def test_handshakes_with_all_processes_count_together(two, forwarded):
    header = [f"X-Forwarded-For: {forwarded['X-Forwarded-For']}"]
    (_, first), (_, second) = two
    for url in (first, second, first, second, first):
        Transport(url, header=header).close()

    with pytest.raises(websocket.WebSocketBadStatusException):
        Transport(second, header=header)


def test_while_redis_does_not_answer_each_process_allows_its_share(two, login_statuses, redis, monkeypatch):
    monkeypatch.setattr(shared_rate_limiter, "CALL_SECONDS", 0.25)
    (app, first), (_, second) = two
    wait_until(lambda: app.extensions["services"].processes.live == 2)
    login_statuses(first, 5)

    with redis.paused():
        assert login_statuses(first, 6) == [302] * 5 + [429]
        assert login_statuses(second, 11) == [302] * 10 + [429]
