"""All attacks at once from one address, for a short time (``bench.attacks`` runs them for ten minutes)."""

import pytest

from bench.harness.attacks.siege import run_siege

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def siege(tmp_path_factory):
    """On one database: the attacks are on connections."""
    return run_siege(tmp_path_factory.mktemp("siege"), postgresql=False, seconds=15, players=4, scale=2)


def test_after_the_attacks_the_server_holds_no_more_resources_than_before(siege):
    assert siege.left == {}


def test_every_spin_of_other_players_is_answered_during_the_attacks(siege):
    assert siege.players["spins"] > 10
    assert (siege.players["refused"], siege.players["disconnects"]) == ({}, {})


def test_every_kind_of_attack_is_made(siege):
    assert len(siege.attacks) > 15
