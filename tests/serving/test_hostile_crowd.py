"""A thousand connections that only wait: each is let go, and nobody else notices."""

import pytest

from tests.support.crowds import besiege

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def crowd(production):
    return besiege(production.url, production.process.pid, silent=1_050, slow=200, patience_seconds=60)


def test_every_connection_that_asks_for_nothing_is_closed(crowd):
    assert crowd.left == {"silent": 0, "slow headers": 0, "slow bodies": 0}


def test_everybody_else_is_answered_meanwhile(crowd):
    assert len(crowd.health_seconds) > 10


def test_a_crowd_takes_little_memory(crowd):
    assert crowd.memory_growth_bytes < 50 * MIB
