"""A process without Redis is a cluster of one."""

import json
import socket
import sqlite3
from contextlib import closing

import pytest

from models.db.connection import database, reading, writing
from models.processes import Process
from tests.harness.servers import threaded_server
from tests.harness.waiting import wait_until
from tests.support.markers import sqlite_only


@pytest.fixture
def status(app):
    """Gives the processes that ``flask cluster status`` prints."""
    runner = app.test_cli_runner()
    return lambda: json.loads(runner.invoke(args=["cluster", "status"]).stdout)["processes"]


def test_a_single_process_is_listed_until_it_stops(app, open_socket, status):
    with threaded_server(app) as url:
        open_socket(url)
        wait_until(lambda: [process["sockets"] for process in status()] == [1])
        (listed,) = status()

    assert listed["redis"] == "none"
    assert listed["address"].endswith(":5000")
    assert listed["lag"] >= 0
    assert status() == []


def test_a_process_replaces_the_row_of_a_killed_one(app, status):
    address = f"{socket.gethostname()}:5000"
    with writing():
        Process.insert(address=address, pool_size=1, redis="none", seen_at_ms=database.now_ms).execute()
    (killed,) = status()

    with threaded_server(app):
        (listed,) = status()

    assert listed["id"] != killed["id"]


@pytest.mark.both_databases("models/processes.py")
def test_rows_of_dead_processes_are_removed(app):
    with threaded_server(app):
        with writing():
            Process.insert(address="dead:1", pool_size=1, redis="none", seen_at_ms=1).execute()
        with reading():
            wait_until(lambda: not Process.select().where(Process.address == "dead:1").exists())


@sqlite_only
def test_a_process_does_not_wait_for_a_long_command_to_renew_its_row(app, database_url):
    processes = app.extensions["cluster"].processes
    processes.join(signals=None)
    with reading():
        before = Process.get().sockets

    with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None)) as command:
        command.execute("BEGIN IMMEDIATE")
        # With a wait, this would raise after five seconds.
        processes.renew(sockets=7, lag_ms=0, signals=None)

    with reading():
        assert Process.get().sockets == before
    processes.renew(sockets=7, lag_ms=0, signals=None)
    with reading():
        assert Process.get().sockets == 7
