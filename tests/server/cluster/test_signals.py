"""Signals between processes."""

import pytest

from tests.harness.waiting import wait_until

pytestmark = pytest.mark.redis


@pytest.fixture
def signals(two):
    """The signals of both processes."""
    return [app.extensions["services"].signals for app, _ in two]


def test_signals_reach_only_other_processes_in_order(signals):
    first, second = signals
    heard_by_first, heard_by_second = [], []
    first.on("numbers", heard_by_first.append)
    second.on("numbers", heard_by_second.append)

    for number in range(1_000):
        first.publish("numbers", number)
    second.publish("numbers", {"tags": ["cases"]})

    wait_until(lambda: heard_by_first and len(heard_by_second) == 1_000)
    assert heard_by_second == list(range(1_000))
    assert heard_by_first == [{"tags": ["cases"]}]
