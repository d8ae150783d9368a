"""A clock that the test sets."""

import pytest

from tests.harness.spins import Clock, at

NOW = at("2026-03-18 12:00")


@pytest.fixture
def clock():
    return Clock(NOW)
