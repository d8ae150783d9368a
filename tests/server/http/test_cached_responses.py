"""Cached responses: the same as fresh ones, and built once."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import peewee
import pytest
from flask import request_started

from bench.harness.waiting import wait_until
from blueprints.api import caching
from models.db import waiting
from services.statistics import leaderboard

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
ENCODINGS = [None, "", "gzip", "br, gzip;q=0.5", "gzip;q=0, *", "*"]
ETAGS = [None, "{etag}", "{strong}", 'W/"another", {etag}', "*", '"another"', "nonsense"]
ORIGINS = [None, FRONT_END, "https://evil.example.net"]
OTHER_HEADERS = [
    {},
    {"Range": "bytes=0-9"},
    {"If-Match": '"another"'},
    {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"Authorization": "Bearer nonsense"},
    {"X-Request-Id": "chosen by a client", "Host": "evil.example.com"},
    {"Expect": "a miracle", "Content-Type": "application/json"},
]
AT_ONCE = 8


@pytest.fixture
def fresh_urls():
    """Gives a URL of the same resource that nobody has asked for yet."""
    numbers = itertools.count()
    return lambda url: f"{url}{'&' if '?' in url else '?'}unused={next(numbers)}"


def shown(answer):
    """All that a client sees of a response, but the request id, which always differs."""
    headers = [(name, "an id" if name == "X-Request-Id" else value) for name, value in answer.headers]
    return answer.status, headers, answer.data


def header_variants(etag):
    pairs = [(encoding, etag) for encoding in ENCODINGS for etag in (None, "{etag}")]
    pairs += [(encoding, etag) for encoding in (None, "gzip") for etag in ETAGS]
    for (encoding, etags), origin in zip(pairs, itertools.cycle(ORIGINS), strict=False):
        named = {"Accept-Encoding": encoding, "If-None-Match": etags, "Origin": origin}
        sent = {name: value for name, value in named.items() if value is not None}
        strong = (etag or "").removeprefix("W/")
        yield {name: value.format(etag=etag, strong=strong) for name, value in sent.items()}
    yield from OTHER_HEADERS


@pytest.mark.slow
@pytest.mark.usefixtures("sample_player")
@pytest.mark.parametrize("url", URLS)
def test_a_cached_response_is_the_same_as_a_fresh_one(client, fresh_urls, url):
    different = []
    for headers in header_variants(client.get(url).headers.get("ETag")):
        for method in ("GET", "HEAD"):
            unused = fresh_urls(url)
            fresh, cached = (client.open(unused, method=method, headers=headers) for _ in range(2))
            if shown(fresh) != shown(cached):
                different.append((method, headers, shown(fresh)[:2], shown(cached)[:2]))

    assert different == []


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


@pytest.fixture
def waits(monkeypatch):
    """The limits, in seconds, of the waits that have begun so far."""
    wait, begun = waiting.wait, []

    def limited(seconds):
        begun.append(seconds)
        return wait(seconds)

    monkeypatch.setattr(waiting, "wait", limited)
    return begun


def test_requests_that_waited_for_a_failed_one_share_the_next(ask_at_once, slow_board, waits, monkeypatch):
    may_read, times = slow_board
    read = leaderboard.top

    def fail_first(**options):
        found = read(**options)
        if len(times) == 1:
            raise peewee.OperationalError("gone for a moment")
        return found

    monkeypatch.setattr(leaderboard, "top", fail_first)
    asked = ask_at_once()
    wait_until(lambda: waits.count(waiting.ANSWER_SECONDS) >= AT_ONCE - 1)

    may_read.set()

    assert sorted(each.result().status_code for each in asked) == [200] * (AT_ONCE - 1) + [503]
    assert len(times) == 2


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
