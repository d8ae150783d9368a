"""With a slow database, a proof is due a delay after the settlement, not after the request."""

import pytest

from tests.harness.spins import Clock, at
from tests.harness.waiting import wait_until
from tests.support.locks import writers_held_up

DELAY_MS = 6_000

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY=str(DELAY_MS / 1000))
HELD_MS = 4_000


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def completed_at(client, player):
    return lambda: client.get("/upgrader/bets/1", headers=player.headers).json["completedAt"]


@pytest.mark.both_databases("the lock")
def test_waiting_for_a_database_lock_does_not_count(
    connect, player, item, clock, database_url, settling, completed_at
):
    socket = connect(player)

    with writers_held_up(database_url, "SELECT 1 FROM users FOR UPDATE"):
        socket.emit("upgrader:spin", {"amount": 1, "item": item})
        wait_until(settling)
        clock.advance(ms=HELD_MS)

    assert socket.expect("upgrader:spin")["status"] is True
    wait_until(lambda: completed_at() == clock() + DELAY_MS)
