"""On PostgreSQL the clock of a process follows the database's."""

import time

import peewee
import pytest

from models.db.connection import database, open_database, reading
from services.shared.clock import DatabaseClock
from tests.harness.players import create_player
from tests.harness.spins import play_spin
from tests.support.markers import postgresql_only

MINUTE_NS = 60 * 10**9
NEAR_MS = 10_000
"""Far less than the minute by which clocks are wrong here, and far more than a query takes."""


@pytest.fixture
def a_minute_ahead(monkeypatch):
    right = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: right() + MINUTE_NS)


@reading()
def database_ms():
    return database.execute_sql(f"SELECT {database.now_ms.sql}").fetchone()[0]


@pytest.mark.both_databases("services/shared/clock.py")
def test_bets_have_the_time_of_postgresql_and_with_sqlite_of_the_machine(
    a_minute_ahead, app, add_item, database_kind
):
    bet = play_spin(app, create_player(app), add_item(price=10)).bet

    is_near = abs(bet.created_at_ms - database_ms()) < NEAR_MS
    assert is_near == (database_kind == "postgresql")


@postgresql_only
def test_an_app_started_without_database_corrects_its_clock(make_app, a_minute_ahead, database_url):
    app = make_app(DATABASE_URL="postgresql://127.0.0.1:9/away")
    clock = app.extensions["services"].clock
    open_database(database_url)
    before = clock() - database_ms()

    clock.read()

    assert before > NEAR_MS
    assert abs(clock() - database_ms()) < NEAR_MS


@postgresql_only
def test_the_next_reading_follows_a_database_whose_clock_was_set(database_url, monkeypatch):
    open_database(database_url)
    clock = DatabaseClock()
    clock.read()
    before = clock()
    monkeypatch.setattr(database.obj, "now_ms", peewee.SQL(f"{database.now_ms.sql} + 60000"))

    clock.read()

    assert clock() - before > NEAR_MS
