"""Fixtures: real login providers on this machine, and browsers that log in with them."""

import pytest

from models.db.connection import reading
from models.users import User
from tests.harness.players import bearer
from tests.support.browser import Browser, parameters
from tests.support.identity_provider import identity_provider
from tests.support.platform_provider import platform_provider

FRONTEND = "http://127.0.0.1:5000/"
FAILED = f"{FRONTEND}?error=login_failed"
UNAVAILABLE = f"{FRONTEND}?error=provider_unavailable"


@pytest.fixture
def game_platform():
    with platform_provider() as provider:
        yield provider


@pytest.fixture
def identity():
    with identity_provider() as provider:
        yield provider


@pytest.fixture
def settings(request):
    """The settings for the providers that the test uses."""
    running = [name for name in ("game_platform", "identity") if name in request.fixturenames]
    return {
        name: value
        for fixture in running
        for name, value in request.getfixturevalue(fixture).settings.items()
    }


@pytest.fixture
def browser(app):
    return Browser(app)


@pytest.fixture
def users():
    """Returns all players as dictionaries."""

    def rows():
        with reading():
            return list(User.select().order_by(User.id).dicts())

    return rows


@pytest.fixture
def me(client):
    """Returns the user object of the token in a redirect's Location."""

    def of(answer):
        assert answer.status_code == 302
        token = parameters(answer.headers["Location"])["token"]
        return client.get("/auth/me", headers=bearer(token)).json

    return of
