"""POST /auth/logout-all: every token that was issued before is refused."""

import jwt
import pytest

from tests.support.apps import SECRET

LOGGED_OUT = {"success": True, "message": "Logged out everywhere"}


@pytest.fixture
def status(client):
    """The status of /auth/me with a token."""
    return lambda token: client.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).status_code


@pytest.fixture
def claims(player):
    """The claims of the player's token, without its token number."""
    content = jwt.decode(player.token, options={"verify_signature": False})
    del content["session"]
    return content


def signed(claims):
    return jwt.encode(claims, SECRET[::-1], algorithm="HS256")


@pytest.mark.security("Logging out everywhere")
@pytest.mark.regulation("2.5.3 Player access")
def test_logging_out_everywhere_revokes_all_tokens_of_the_player(client, player, new_player, run, status):
    other, bob = run("users", "token", player.platform_id)["token"], new_player("bob")

    answer = client.post("/auth/logout-all", headers=player.headers)

    assert (answer.status_code, answer.json) == (200, LOGGED_OUT)
    later = run("users", "token", player.platform_id)["token"]
    assert [status(token) for token in (player.token, other, later, bob.token)] == [401, 401, 200, 200]


def test_a_token_without_number_is_valid_until_the_first_logout(client, claims, player, status):
    old = signed(claims)
    assert status(old) == 200

    client.post("/auth/logout-all", headers=player.headers)

    assert status(old) == 401


@pytest.mark.security("Logging out everywhere")
def test_a_token_whose_number_is_no_integer_is_refused(claims, status):
    for number in (None, False, "0", 0.0, [], {}, 1, -1, 2**70):
        assert status(signed(claims | {"session": number})) == 401, number


@pytest.mark.security("Logging out everywhere")
def test_requests_with_a_revoked_token_do_not_use_the_limit(make_app, player, run):
    client = make_app(RATELIMIT_ENABLED="1", timer=lambda: 0.0).test_client()

    def status(token):
        return client.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).status_code

    client.post("/auth/logout-all", headers=player.headers)
    while status(player.token) != 429:
        pass

    assert status(run("users", "token", player.platform_id)["token"]) == 200
