"""Openings while their case changes."""

import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from functools import partial

import psycopg2
import pytest

from models.cases import Snapshot
from models.db.connection import reading
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once

CHANGE = """
UPDATE items SET price_cents = price_cents * 2;
UPDATE cases SET price_cents = 2106;
"""


@pytest.fixture
def changing_slowly(database_url):
    """Doubles all prices in a transaction that keeps openings waiting until the block ends."""

    @contextmanager
    def changing():
        if database_url.startswith("sqlite"):
            path = database_url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield
                for statement in CHANGE.strip().split("\n"):
                    connection.execute(statement)
                connection.commit()
        else:
            with closing(psycopg2.connect(database_url)) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM announced_seeds FOR UPDATE")
                cursor.execute(CHANGE)
                yield
                connection.commit()

    return changing


@pytest.mark.one_process
@pytest.mark.both_databases("the race")
def test_an_opening_that_waits_over_a_second_uses_new_content(
    app, connect, client, player, case, changing_slowly
):
    answers = []
    socket = connect(player)
    opening = threading.Thread(target=lambda: answers.append(socket.call("case:open", {"case": case})))
    with changing_slowly():
        opening.start()
        wait_until(lambda: player.id in app.extensions["services"].player_locks)
        began = time.monotonic()
        wait_until(lambda: time.monotonic() > began + 1.05)
    opening.join()

    won = float(answers[0]["result"]["amount"])
    assert won in (10, 110)
    assert client.get("/auth/me", headers=player.headers).json["balance"] == pytest.approx(78.94 + won)


@pytest.mark.both_databases("the race")
def test_concurrent_first_openings_of_a_content_all_settle(connect, new_player, case):
    sockets = [connect(new_player(f"player{number}")) for number in range(10)]

    answers = all_at_once([partial(socket.call, "case:open", {"case": case}) for socket in sockets])

    assert [answer["status"] for answer in answers] == [True] * 10
    with reading():
        assert Snapshot.select().count() == 1


@pytest.mark.both_databases("the race")
def test_twenty_concurrent_openings_of_the_free_case_succeed_once(connect, client, lucky, free_case):
    def open_twice(socket):
        return [socket.call("case:open", {"case": free_case}).get("error") for _ in range(2)]

    answers = all_at_once([partial(open_twice, connect(lucky)) for _ in range(10)])

    errors = [error for both in answers for error in both]
    assert errors.count(None) == 1
    assert set(errors) <= {None, "Free case is not available", "A spin is already in progress"}
    assert client.get("/auth/me", headers=lucky.headers).json["freeCases"] == 1
