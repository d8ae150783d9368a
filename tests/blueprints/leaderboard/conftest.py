"""Fixtures: a clock, spins at its time, and the leaderboard."""

import pytest

from bench.harness.spins import Clock, Table, at


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def app(make_app, clock):
    return make_app(clock=clock)


@pytest.fixture
def spin(app):
    """Plays one spin: ``spin(player, wager="1")``."""
    return Table(app).spin


@pytest.fixture
def board(client):
    """The names on the leaderboard, with their wagers."""

    def shown(**parameters):
        answer = client.get("/leaderboard", query_string=parameters)
        assert answer.status_code == 200, answer.text
        return [(entry["username"], entry["wager"]) for entry in answer.json]

    return shown
