"""Logins of players who have closed their accounts."""

from tests.blueprints.auth.conftest import FRONTEND
from tests.harness.players import bearer
from tests.support.browser import parameters

CLOSED = f"{FRONTEND}?error=account_closed"


def close(client, answer):
    """Closes the account of the player who has logged in with this answer."""
    token = parameters(answer.headers["Location"])["token"]
    assert client.post("/profile/close", headers=bearer(token)).status_code == 200


def test_a_login_to_a_closed_account_gives_no_token(browser, game_platform, client, log_text):
    close(client, browser.log_in("platform"))

    assert browser.log_in("platform").headers["Location"] == CLOSED
    assert '"outcome":"Account closed"' in log_text()


def test_a_login_with_the_identity_provider_gives_no_token_either(browser, identity, client):
    close(client, browser.log_in("identity"))

    assert browser.log_in("identity").headers["Location"] == CLOSED


def test_a_login_to_a_reopened_account_gives_a_token(browser, game_platform, client, users, run):
    close(client, browser.log_in("platform"))
    run("users", "reopen", users()[0]["platform_id"], "--reason", "the player asked")

    assert "token" in parameters(browser.log_in("platform").headers["Location"])
    assert len(users()) == 1
