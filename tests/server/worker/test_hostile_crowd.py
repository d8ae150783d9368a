"""A thousand connections that stop at some step are closed, and do not affect other clients."""

import pytest

from tests.support.stalled_connections import stall_connections

pytestmark = [pytest.mark.process, pytest.mark.thorough]

MIB = 1024 * 1024
MINUTE = 60


@pytest.mark.guarantee("Stopped clients")
@pytest.mark.security("Hostile connections")
def test_stalled_connections_are_closed_within_a_minute_and_take_less_than_50_mib(hasty, note_figure):
    crowd = stall_connections(
        hasty.url, hasty.process.pid, silent=1_050, slow=150, stopped=5, patience_seconds=MINUTE
    )

    note_figure(f"stalled connections: {crowd.seconds:.1f} s, {crowd.memory_growth_bytes / MIB:.1f} MiB")
    assert crowd.left == 0
    assert crowd.memory_growth_bytes < 50 * MIB
    # Other clients were answered meanwhile, one in each step.
    assert crowd.answered > 1
