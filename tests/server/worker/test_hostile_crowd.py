"""A thousand connections that stop at some step are closed, and do not affect other clients."""

import pytest

from tests.support.stalled_connections import stall_connections

pytestmark = pytest.mark.process

MIB = 1024 * 1024
MINUTE = 60


@pytest.fixture(scope="module")
def crowd(hasty):
    return stall_connections(
        hasty.url, hasty.process.pid, silent=1_050, slow=150, stopped=5, patience_seconds=MINUTE
    )


@pytest.mark.guarantee("Stopped clients")
@pytest.mark.security("Hostile connections")
def test_every_connection_that_stops_is_closed_within_a_minute(crowd, note_figure):
    note_figure(f"stalled connections: {crowd.seconds:.1f} s, {crowd.memory_growth_bytes / MIB:.1f} MiB")
    assert crowd.left == 0


def test_other_clients_are_answered_meanwhile(crowd):
    # One for each step; how many there are depends on the machine.
    assert len(crowd.health_seconds) > 1


@pytest.mark.guarantee("Stopped clients")
def test_a_crowd_of_stalled_connections_takes_less_than_50_mib(crowd):
    assert crowd.memory_growth_bytes < 50 * MIB
