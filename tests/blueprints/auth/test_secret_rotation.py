"""Changing JWT_SECRET: old tokens are valid as long as JWT_SECRET_PREVIOUS contains their secret."""

import pytest

OLD = "the older secret of these tests that is long enough"
NEW = "a newer secret of these tests that is long enough too"
YET_ANOTHER = "yet another secret of these tests that is long enough"

pytestmark = pytest.mark.settings(JWT_SECRET=OLD)


@pytest.fixture
def status(make_app, player):
    """Requests /auth/me with a token of the old secret from an app with these settings; the status."""

    def ask(**settings):
        return make_app(**settings).test_client().get("/auth/me", headers=player.headers).status_code

    return ask


@pytest.mark.guarantee("Keys")
@pytest.mark.security("Secrets of the operator")
def test_a_token_of_the_previous_secret_stays_valid(status):
    assert status(JWT_SECRET=NEW, JWT_SECRET_PREVIOUS=OLD) == 200
    assert status(JWT_SECRET=NEW, JWT_SECRET_PREVIOUS=f"{YET_ANOTHER}, {OLD}") == 200


@pytest.mark.security("Tokens")
def test_tokens_of_a_removed_secret_are_refused(status):
    assert status(JWT_SECRET=NEW) == 401
