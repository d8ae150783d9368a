"""Fixtures: a clock that tests move, and requests as the player."""

import pytest

from services.shared.clock import now_ms
from tests.harness.spins import Clock
from tests.support.two_factor import STEP_MS


@pytest.fixture
def clock():
    """Stands at the beginning of a time step of two-factor codes."""
    return Clock(now_ms() // STEP_MS * STEP_MS)


@pytest.fixture
def call(send, player):
    """Sends a request to /profile as the player; status and body."""
    return lambda method, path, body=None, by=player, **options: send(
        by, method, f"/profile/{path}", body, **options
    )


@pytest.fixture
def notifications(call, player):
    """A player's notifications."""

    def of(by=player):
        status, told = call("GET", "notifications", by=by)
        assert status == 200
        return told

    return of
