"""The worker pool, and long work that yields."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from services.shared import background
from services.shared.background import CooperativeYield, WorkerPool
from services.shared.errors import Unavailable
from tests.harness.waiting import wait_until


def test_long_work_pauses_regularly(monkeypatch):
    pauses = []
    monkeypatch.setattr(background, "pause", lambda: pauses.append(background.WORK_SECONDS))
    monkeypatch.setattr(background, "PAUSE_SECONDS", 0)

    for seconds in (3600, 0):
        monkeypatch.setattr(background, "WORK_SECONDS", seconds)
        CooperativeYield()()

    assert pauses == [0]


@pytest.fixture
def begun():
    return threading.Event()


@pytest.fixture
def go_on():
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def threads(go_on):
    with ThreadPoolExecutor(2) as threads:
        yield threads
        go_on.set()


@pytest.fixture
def work(begun, go_on):
    """Work that ends when the test says so."""
    return lambda: begun.set() or go_on.wait(60)


def test_queued_work_runs_after_the_work_before_it(threads, work, begun, go_on):
    pool = WorkerPool(wait_seconds=60)
    first = threads.submit(pool.run, work)
    begun.wait(60)

    second = threads.submit(pool.run, go_on.is_set)
    assert not second.done()
    go_on.set()

    assert (first.result(60), second.result(60)) == (True, True)


def test_a_full_queue_refuses_at_once(threads, work, begun):
    pool = WorkerPool(queue_size=1, wait_seconds=60)
    threads.submit(pool.run, work)
    begun.wait(60)
    threads.submit(pool.run, str.upper, "queued")
    wait_until(lambda: pool._workers._waiting)

    with pytest.raises(Unavailable):
        pool.run(str.upper, "too much")


def test_work_that_waits_too_long_is_refused(threads, work, begun, go_on):
    pool = WorkerPool(wait_seconds=0.01)
    first = threads.submit(pool.run, work)
    begun.wait(60)

    with pytest.raises(Unavailable):
        pool.run(str.upper, "too late")
    go_on.set()
    first.result(60)

    assert pool.run(str.upper, "in time") == "IN TIME"


@pytest.mark.parametrize("error", [ZeroDivisionError, TimeoutError])
def test_an_error_reaches_its_caller_and_frees_the_worker(error):
    pool = WorkerPool(queue_size=0)

    def fail():
        raise error

    with pytest.raises(error):
        pool.run(fail)

    assert pool.run(str.upper, "next") == "NEXT"
