"""The connection pool of PostgreSQL: broken connections are not reused, and waits are bounded."""

import select
import threading
from concurrent.futures import ThreadPoolExecutor

import peewee
import pytest

from models.db import waiting
from models.db.connection import database, open_database, reading, writing
from tests.harness.databases import administer
from tests.harness.fault_proxy import PASS, RESET, STALL, before_postgres
from tests.support.markers import postgresql_only

pytestmark = postgresql_only

MANY = 8


@pytest.fixture
def proxy(database_url):
    """Stands before the database that is open."""
    with before_postgres(database_url) as (proxy, address):
        opened = open_database(address)
        yield proxy
        opened.close_all()


def one():
    with reading():
        return database.execute_sql("SELECT 1").fetchone()[0]


def backend():
    """Which process of the server the caller's connection belongs to."""
    return database.execute_sql("SELECT pg_backend_pid()").fetchone()[0]


def fill_pool():
    """Leave many connections in the pool; their backends."""
    gate = threading.Barrier(MANY, timeout=60)

    def hold(_number):
        with reading():
            gate.wait()
            return backend()

    with ThreadPoolExecutor(MANY) as together:
        return set(together.map(hold, range(MANY)))


def wait_for_ends(connections):
    """Wait until the end of each connection has come through the proxy."""
    for connection in connections:
        ended = select.poll()
        ended.register(connection, select.POLLRDHUP)
        assert ended.poll(30_000)


def test_queries_succeed_after_idle_connections_were_cut(proxy, database_url):
    fill_pool()
    proxy.become(RESET)
    proxy.become(PASS)
    assert [one() for _ in range(MANY)] == [1] * MANY

    for pid in fill_pool():
        administer(database_url, f"SELECT pg_terminate_backend({pid}, 5000)")
    wait_for_ends(database.obj._idle)
    assert [one() for _ in range(MANY)] == [1] * MANY


def test_a_broken_connection_discards_older_idle_ones(proxy, database_url):
    old = fill_pool()

    with reading():
        administer(database_url, f"SELECT pg_terminate_backend({backend()}, 5000)")
        with pytest.raises(peewee.OperationalError):
            database.execute_sql("SELECT 1")

    with reading():
        assert backend() not in old


def test_waiting_to_connect_does_not_block_idle_connections(proxy):
    one()
    with ThreadPoolExecutor(1) as beside:
        with reading():
            proxy.become(STALL)
            connecting = beside.submit(one)
        # The one connection is given back, and used again, while the other is still being made.
        with reading():
            was_done = connecting.done()
            proxy.become(PASS)
            connected = connecting.result()

    assert (was_done, connected) == (False, 1)


def test_all_waits_of_a_request_use_one_wait_budget(proxy):
    with waiting.limit_waits():
        with waiting.wait(5), waiting.limit_waits():
            threading.Event().wait(0.05)
        left = waiting.seconds_left()
        with waiting.wait(100) as seconds:
            pass

    assert left < waiting.ANSWER_SECONDS
    assert seconds <= left
    assert waiting.seconds_left() == waiting.ANSWER_SECONDS


def test_a_commit_is_refused_near_the_end_of_the_budget(proxy):
    def insert():
        database.execute_sql("INSERT INTO login_nonces (nonce, expires_at_ms) VALUES ('a', 1)")

    with waiting.limit_waits():
        waiting._budget.set(0.3)
        with pytest.raises(peewee.OperationalError), writing():
            insert()

    with writing():
        insert()
