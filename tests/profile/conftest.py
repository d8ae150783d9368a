"""What these tests have in common: a clock they move, and calls as the player."""

import pytest

from services.clock import now_ms


class Clock:
    """Stands still until it is moved."""

    def __init__(self):
        self.now = now_ms()

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def app(make_app, clock):
    return make_app(clock=clock)


@pytest.fixture
def call(client, player):
    """Calls an endpoint of the profile as the player; the status and what was answered."""

    def call(method, path, body=None, *, by=player, **options):
        if body is not None:
            options["json"] = body
        answer = client.open(f"/profile/{path}", method=method, headers=by.headers, **options)
        return answer.status_code, answer.json

    return call


@pytest.fixture
def me(client, player):
    """What a player is told of themselves."""
    return lambda by=player: client.get("/auth/me", headers=by.headers).json


@pytest.fixture
def notifications(call, player):
    """A player's notifications."""

    def of(by=player):
        status, told = call("GET", "notifications", by=by)
        assert status == 200
        return told

    return of
