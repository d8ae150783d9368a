"""Concurrent requests for a catalogue that has to be built."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from services.upgrader.catalogue import CatalogueCache

CROWD = 16


@pytest.fixture
def at_once():
    """Runs a function on many threads that start together, and returns their results."""

    def run(function):
        gate = threading.Barrier(CROWD, timeout=60)

        def begin(_number):
            gate.wait()
            return function()

        with ThreadPoolExecutor(CROWD) as pool:
            return list(pool.map(begin, range(CROWD)))

    return run


def test_concurrent_readers_of_an_expired_catalogue_build_it_once(stock, queries, at_once):
    stock({"Item": 5})
    clock = [0.0]
    cache = CatalogueCache(ttl_seconds=3600, timer=lambda: clock[0])
    old = cache.current()
    clock[0] = 3600.0
    queries.clear()

    catalogues = at_once(cache.current)

    assert len(queries) == 1
    assert old not in catalogues


def test_concurrent_requests_build_the_catalogue_once(app, stock, queries, at_once):
    stock({f"Item {number}": number for number in range(1, 301)})
    queries.clear()

    answers = at_once(lambda: app.test_client().get("/upgrader/items"))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    assert len(queries) == 1
