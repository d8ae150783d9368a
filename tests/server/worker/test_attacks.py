"""All attacks at once from one address, for a short time; ``tests.storms.attacks`` has ten minutes."""

import pytest

from tests.storms.attacks.siege import run_siege

pytestmark = pytest.mark.process


@pytest.mark.thorough
def test_spins_are_answered_during_attacks_and_resources_freed_afterwards():
    # Several tests would attack a server each in a parallel run. The attacks are on connections, not on data.
    siege = run_siege(
        postgresql=False,
        seconds=6,
        players=4,
        scale=1,
        target="tests.support.changed_apps:counting()",
    )

    assert len(siege.attacks) > 20
    assert siege.players["spins"] > 4
    assert (siege.players["refused"], siege.players["disconnects"]) == ({}, {})
    assert siege.left == {}
