"""Openings whose way to PostgreSQL is delayed."""

import time
from contextlib import closing

import psycopg2
import pytest

from bench.harness.faults.proxy import STALL, before_postgres
from bench.harness.waiting import wait_until
from services.openings import opening
from tests.support.locks import locked, waiting_for_locks
from tests.support.markers import postgresql_only

pytestmark = [postgresql_only, pytest.mark.one_process]


def change_the_price_over_a_second_ago(database_url):
    with closing(psycopg2.connect(database_url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("UPDATE cases SET price_cents = price_cents + 1")
    began = time.monotonic()
    wait_until(lambda: time.monotonic() > began + 1.05)


@pytest.fixture
def proxy(database_url):
    """Stands before the database; with its address."""
    with before_postgres(database_url) as proxy_and_address:
        yield proxy_and_address


@pytest.fixture
def settings(proxy, monkeypatch):
    # The delayed opening uses the case that an earlier one has read.
    monkeypatch.setattr(opening, "REUSED_SECONDS", 60)
    return {"DATABASE_URL": proxy[1]}


def test_an_opening_delayed_for_a_second_uses_new_content(connect, player, case, proxy, database_url):
    socket = connect(player)
    request = {"case": case, "clientSeed": "my-seed", "price": 10.53}
    assert socket.call("case:open", request)["status"] is True
    socket.expect("case:open")

    with proxy[0].being(STALL):
        socket.emit("case:open", request)
        change_the_price_over_a_second_ago(database_url)

    assert socket.expect("case:open") == {"status": False, "error": "Case price has changed"}


def test_an_opening_that_waits_for_a_lock_uses_new_content(connect, player, case, database_url):
    """The holder of the lock has not changed the row."""
    socket = connect(player)
    request = {"case": case, "clientSeed": "my-seed", "price": 10.53}
    assert socket.call("case:open", request)["status"] is True
    socket.expect("case:open")

    with locked(database_url, "SELECT 1 FROM users WHERE id = %s FOR UPDATE", player.id):
        socket.emit("case:open", request)
        wait_until(lambda: waiting_for_locks(database_url) == 1)
        change_the_price_over_a_second_ago(database_url)

    assert socket.expect("case:open") == {"status": False, "error": "Case price has changed"}
