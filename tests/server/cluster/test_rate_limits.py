"""Rate limits of several processes: one for each client, and shares of it while Redis is away."""

import pytest
import requests
import websocket

from bench.harness.sockets import Socket, Transport
from bench.harness.waiting import wait_until
from services.shared import shared_rate_limiter
from tests.conftest import create_player

pytestmark = [
    pytest.mark.redis,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]

LOGIN_STARTS, EVENTS = 20, 30


@pytest.fixture
def call_seconds():
    """Long, because a machine that runs other tests may stop this one for a while."""
    return 10.0


@pytest.fixture
def processes(start, redis, monkeypatch, call_seconds):
    """Two processes: their apps and addresses."""
    monkeypatch.setattr(shared_rate_limiter, "CALL_SECONDS", call_seconds)
    with redis.client() as client:
        client.flushall()
    settings = {"RATELIMIT_ENABLED": "1", "ADDRESS_HANDSHAKES_PER_MINUTE": "5"}
    return [start(PORT=port, **settings) for port in ("5001", "5002")]


def login_statuses(url, count):
    address = f"{url}/auth/platform"
    return [requests.get(address, allow_redirects=False, timeout=10).status_code for _ in range(count)]


def test_requests_to_all_processes_count_together(processes):
    (_, first), (_, second) = processes

    login_statuses(first, LOGIN_STARTS - 5)

    assert login_statuses(second, 6) == [302] * 5 + [429]
    assert login_statuses(first, 1) == [429]


def test_a_player_who_reconnects_to_another_process_keeps_the_events_counted_so_far(processes):
    (app, first), (_, second) = processes
    auth = {"token": create_player(app).token}
    socket = Socket(first, auth=auth)
    for _ in range(EVENTS - 1):
        socket.spin("nonsense")
    socket.close()

    socket = Socket(second, auth=auth)
    errors = [socket.spin("nonsense")["error"] for _ in range(2)]
    socket.close()

    assert errors == ["Invalid request", "Too many requests"]


def test_handshakes_with_all_processes_count_together(processes):
    (_, first), (_, second) = processes
    for url in (first, second, first, second, first):
        Transport(url).close()

    with pytest.raises(websocket.WebSocketBadStatusException):
        Transport(second)


@pytest.mark.parametrize("call_seconds", [0.25])
def test_while_redis_does_not_answer_each_process_allows_its_share(processes, redis):
    (app, first), (_, second) = processes
    wait_until(lambda: app.extensions["services"].processes.live == 2)
    login_statuses(first, 5)

    redis.pause()
    try:
        assert login_statuses(first, 6) == [302] * 5 + [429]
        assert login_statuses(second, 11) == [302] * 10 + [429]
    finally:
        redis.resume()
