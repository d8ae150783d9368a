"""With a slow database, a proof is due a delay after the settlement, not after the request."""

import sqlite3
from contextlib import closing

import pytest

from bench.harness.spins import Clock, at
from bench.harness.waiting import wait_until
from tests.support.locks import locked, waiting_for_locks

DELAY_MS = 6_000
HELD_MS = 4_000


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def app(make_app, clock):
    return make_app(clock=clock, UPGRADER_PROOF_DELAY=str(DELAY_MS / 1000))


@pytest.fixture
def spin_once(connect, player, item):
    """Sends a spin; the function that it returns waits for the answer."""

    def spin():
        socket = connect(player)
        socket.emit("upgrader:spin", {"amount": 1, "item": item})
        return lambda: socket.expect("upgrader:spin")

    return spin


@pytest.fixture
def completed_at(client, player):
    return lambda: client.get("/upgrader/bets/1", headers=player.headers).json["completedAt"]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_the_time_that_a_spin_waits_for_a_lock_of_postgresql_does_not_count(
    spin_once, clock, database_url, completed_at
):
    with locked(database_url, "SELECT 1 FROM users FOR UPDATE"):
        answered = spin_once()
        wait_until(lambda: waiting_for_locks(database_url) == 1)
        clock.advance(ms=HELD_MS)

    assert answered()["status"] is True
    wait_until(lambda: completed_at() == clock() + DELAY_MS)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_time_that_a_spin_waits_to_write_to_sqlite_does_not_count(
    app, spin_once, clock, database_url, completed_at
):
    with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answered = spin_once()
        wait_until(lambda: len(app.extensions["services"].player_locks) == 1)
        clock.advance(ms=HELD_MS)
        other.execute("ROLLBACK")
        assert answered()["status"] is True

    assert completed_at() == clock() + DELAY_MS
