"""Fixtures: battles at the times of a clock, and their players."""

import pytest

from tests.harness.spins import Clock, at
from tests.support.arena import Arena


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def arena(app, clock):
    return Arena(app, clock)


@pytest.fixture
def alice(arena, new_player):
    """The creator of most battles."""
    return new_player("alice")


@pytest.fixture
def bob(arena, new_player):
    return new_player("bob")
