"""Rounds of the background tasks of alarms, and the alarms that they have raised."""

import pytest

from models.db.connection import database, reading, writing
from models.staff import Alarm
from tests.harness.spins import Clock, at

NOW = at("2026-03-18 12:00")


@pytest.fixture
def clock():
    return Clock(NOW)


def task_of(app, on_failure):
    """The work of the background task with this message."""
    (task,) = [each for each in app.extensions["realtime"].tasks if each._on_failure == on_failure]
    return task._work


@pytest.fixture
def check(app, clock):
    """Checks all rules, an hour after the last time."""
    work = task_of(app, "alarms not checked")
    # The first round checks nothing.
    work()

    def run(*, after_minutes=61):
        clock.advance(minutes=after_minutes)
        work()

    return run


@reading()
def alarms(rule=None):
    """The alarms of a rule, or all, by their subject."""
    found = Alarm.select().order_by(Alarm.id)
    return {each.subject: each for each in found if rule in (None, each.rule)}


def change(*statements):
    """Run statements directly on the database."""
    with writing():
        for statement in statements:
            database.execute_sql(statement)
