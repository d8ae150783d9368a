"""Spins and openings that a test decides, and the log that they are appended to."""

import pytest

from tests.support.openings import Openings
from tests.support.table import Table


@pytest.fixture
def log(app):
    return app.extensions["services"].log


@pytest.fixture
def table(app):
    return Table(app)


@pytest.fixture
def openings(app):
    return Openings(app)
