"""Cached responses: the same as fresh ones, and built once."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import request_started

from blueprints.api import caching
from services.statistics import leaderboard
from tests.harness.waiting import wait_until

# Nothing here depends on the database.

FRONT_END = "https://play.example.com"

pytestmark = pytest.mark.settings(FRONTEND_URL=f"{FRONT_END}/game/", UPGRADER_PROOF_DELAY="0")
BOARD = "/leaderboard"
URLS = [
    "/upgrader/items",
    "/api/cases/pocket-lint",
    "/leaderboard?period=monthly",
    "/stats/live-bets?limit=2",
]
HEADERS = [
    {},
    {"Accept-Encoding": "gzip", "Origin": FRONT_END},
    {"Accept-Encoding": "gzip;q=0, *", "If-None-Match": "{etag}"},
    {"Accept-Encoding": "br, gzip;q=0.5", "If-None-Match": 'W/"another", {etag}'},
    {"If-None-Match": '"another"', "Origin": "https://evil.example.net"},
    {"Range": "bytes=0-9", "If-Match": '"another"'},
    {"Authorization": "Bearer nonsense", "Host": "evil.example.com", "Expect": "a miracle"},
]
AT_ONCE = 8


def shown(answer):
    """All that a client sees of a response, but the request id, which always differs."""
    headers = [(name, "an id" if name == "X-Request-Id" else value) for name, value in answer.headers]
    return answer.status, headers, answer.data


@pytest.mark.usefixtures("sample_player")
def test_a_cached_response_is_the_same_as_a_fresh_one(client):
    for number, (url, texts) in enumerate(itertools.product(URLS, HEADERS)):
        # A URL of the same resource that nobody has asked for yet.
        unused = f"{url}{'&' if '?' in url else '?'}unused={number}"
        etag = client.get(url).headers["ETag"]
        headers = {name: text.replace("{etag}", etag) for name, text in texts.items()}
        for method in ("GET", "HEAD"):
            fresh, cached = (
                client.open(f"{unused}{method}", method=method, headers=headers) for _ in range(2)
            )

            assert shown(fresh) == shown(cached), (url, method, headers)


@pytest.fixture
def slow_board(app, monkeypatch):
    """A leaderboard that is read when the test says so; the number of times that it was read."""
    read, may_read = leaderboard.top, threading.Event()
    times = []

    def top(**options):
        times.append(1)
        assert may_read.wait(10)
        return read(**options)

    monkeypatch.setattr(leaderboard, "top", top)
    return may_read, times


@pytest.fixture
def ask_at_once(app):
    """Sends some requests for the leaderboard at once; gives their futures when all have begun."""
    begun = []
    with (
        ThreadPoolExecutor(AT_ONCE) as threads,
        request_started.connected_to(lambda *_, **__: begun.append(1)),
    ):

        def ask():
            asked = [threads.submit(lambda: app.test_client().get(BOARD)) for _ in range(AT_ONCE)]
            wait_until(lambda: len(begun) >= AT_ONCE)
            return asked

        yield ask


def test_simultaneous_requests_read_the_database_once(ask_at_once, slow_board):
    may_read, times = slow_board
    asked = ask_at_once()

    may_read.set()

    assert {each.result().status_code for each in asked} == {200}
    assert len(times) == 1


def test_a_response_larger_than_the_cache_is_sent(monkeypatch, make_app):
    monkeypatch.setattr(caching, "MAX_BYTES", 100)
    client = make_app().test_client()

    assert client.get(BOARD).status_code == 200


def test_many_urls_do_not_fill_the_memory(monkeypatch, make_app, queries):
    monkeypatch.setattr(caching, "MAX_BYTES", 50_000)
    client = make_app().test_client()
    client.get(BOARD)

    for number in range(30):
        client.get(f"{BOARD}?unused={number}-{'long' * 500}")
    queries.clear()
    client.get(BOARD)

    assert queries != []
