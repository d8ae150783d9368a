"""One caller builds a value, and the others wait for it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import peewee
import pytest
from cachetools import LRUCache, cached

from models.db import waiting
from services.shared.locks import BuildCondition
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once

AT_ONCE = 8


@pytest.fixture
def builds():
    """The keys that were built, in order."""
    return []


@pytest.fixture
def may_end():
    """Set when a build may end."""
    return threading.Event()


@pytest.fixture
def value_of(builds, may_end):
    """Builds a value; the first build of a key that begins with "broken" fails."""

    @cached(LRUCache(maxsize=9), condition=BuildCondition())
    def build(key):
        builds.append(key)
        assert may_end.wait(10)
        if key.startswith("broken") and builds.count(key) == 1:
            raise ConnectionError(key)
        return object()

    return build


def test_concurrent_callers_get_the_same_value(value_of, builds, may_end):
    may_end.set()

    values = all_at_once([lambda: value_of("key")] * AT_ONCE)

    assert len(set(values)) == 1
    assert builds == ["key"]


def test_after_a_failure_the_next_caller_builds(value_of, builds, may_end):
    with ThreadPoolExecutor(AT_ONCE) as threads:
        calls = [threads.submit(value_of, "broken") for _ in range(AT_ONCE)]
        wait_until(lambda: builds)
        may_end.set()
        failures = [call.exception() for call in calls]

    assert [type(failure) for failure in failures if failure] == [ConnectionError]
    assert builds == ["broken"] * 2


def test_a_build_does_not_delay_that_of_another_key(value_of, builds, may_end):
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(value_of, key) for key in ("one", "two")]
        wait_until(lambda: len(builds) == 2)
        may_end.set()

    assert calls[0].result() is not calls[1].result()


def test_a_caller_waits_within_its_budget(value_of, builds, may_end, monkeypatch):
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 0.05)
    with ThreadPoolExecutor(1) as threads:
        threads.submit(value_of, "key")
        wait_until(lambda: builds)

        with pytest.raises(peewee.OperationalError):
            value_of("key")

        may_end.set()
