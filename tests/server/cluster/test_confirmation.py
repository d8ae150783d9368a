"""A machine without a record of the database trusts it when a process that has one confirms it."""

import itertools

import pytest

from services.log.restore import BetsPaused
from tests.harness.players import create_player
from tests.support.lost_log import epoch, restore_log, stored_log
from tests.support.markers import postgresql_only

pytestmark = [
    pytest.mark.redis,
    postgresql_only,
]


@pytest.fixture
def start_machine(start, tmp_path):
    """Starts a process with an address and an instance directory of its own, which no process has used."""
    ports = itertools.count(5_000)
    return lambda name: start(INSTANCE_DIR=str(tmp_path / name), PORT=str(next(ports)))[0]


def announced(app, player):
    return app.extensions["services"].seeds.announced(user_id=player.id)


def test_a_machine_that_joins_others_keeps_the_commitments(start_machine):
    first = start_machine("first")
    player = create_player(first)
    told, before = announced(first, player), epoch()

    second = start_machine("second")

    assert announced(second, player) == announced(first, player) == told
    assert epoch() == before


@pytest.mark.security("Restored database")
def test_a_machine_that_joins_after_a_restore_pauses_bets(start_machine):
    """No machine finds its last checkpoint in the database."""
    first = start_machine("first")
    player = create_player(first)
    announced(first, player)
    before = stored_log()
    first.extensions["services"].log.append_now()
    restore_log(before)

    second = start_machine("second")

    for process in (second, first):
        with pytest.raises(BetsPaused):
            announced(process, player)
