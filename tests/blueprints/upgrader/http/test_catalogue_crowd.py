"""Concurrent requests for a catalogue that has to be built."""

from services.upgrader.catalogue import CatalogueCache
from tests.support.at_once import all_at_once

CROWD = 16


def count_builds(queries):
    return len([sql for sql, _ in queries if sql.startswith('SELECT "t1"."app_id"')])


def test_concurrent_readers_of_an_expired_catalogue_build_it_once(stock, queries):
    stock({"Item": 5})
    clock = [0.0]
    cache = CatalogueCache(ttl_seconds=3600, timer=lambda: clock[0])
    old = cache.current()
    clock[0] = 3600.0
    queries.clear()

    catalogues = all_at_once([cache.current] * CROWD)

    assert count_builds(queries) == 1
    assert old not in catalogues


def test_concurrent_requests_build_the_catalogue_once(app, stock, queries):
    stock({f"Item {number}": number for number in range(1, 301)})
    queries.clear()

    answers = all_at_once([lambda: app.test_client().get("/upgrader/items")] * CROWD)

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    assert count_builds(queries) == 1
