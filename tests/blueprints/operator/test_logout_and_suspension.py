"""flask users logout, suspend and resume."""

import pytest

from tests.harness.spins import Clock


@pytest.fixture
def clock():
    return Clock(1_800_000_000_000)


@pytest.fixture
def settings():
    """Tokens that are valid at that time."""
    return {"JWT_TTL": "315360000"}


@pytest.fixture
def status(client):
    """The status of /auth/me with a token."""
    return lambda token: client.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).status_code


def test_logging_a_player_out_revokes_all_tokens(run, player, status):
    assert run("users", "logout", player.platform_id) == {"platformid": player.platform_id, "session": 1}
    assert status(player.token) == 401
    token = run("users", "token", player.platform_id)["token"]
    assert status(token) == 200

    assert run("users", "logout", player.platform_id)["session"] == 2

    assert status(token) == 401


def test_a_suspended_player_is_refused_until_the_player_is_resumed(run, player, status):
    run("users", "suspend", player.platform_id)
    assert status(player.token) == 403

    resumed = run("users", "resume", player.platform_id)

    assert resumed == {"platformid": player.platform_id, "suspendedAt": None}
    assert status(player.token) == 200
    assert run("users", "resume", player.platform_id) == resumed


def test_suspending_a_suspended_player_keeps_the_first_time(run, player, clock):
    first = run("users", "suspend", player.platform_id)
    clock.advance(ms=1000)

    assert run("users", "suspend", player.platform_id) == first
    assert first["suspendedAt"] == clock() - 1000
