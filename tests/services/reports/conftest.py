"""Spins and openings with a clock of the test, and the log that they are appended to."""

import pytest

from bench.harness.spins import Clock, at
from tests.support.openings import Openings
from tests.support.table import Table

NOW = at("2026-03-18 12:00")


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def log(app):
    return app.extensions["services"].log


@pytest.fixture
def table(app):
    return Table(app)


@pytest.fixture
def openings(app):
    return Openings(app)
