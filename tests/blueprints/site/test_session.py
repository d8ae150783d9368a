"""A link with a token in it does not replace a player's session without a question."""

import pytest

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]

SECRETS = {
    "APP_ENV": "production",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-of-these-tests",
    "JWT_SECRET": "zyxwvutsrqponmlkjihgfedcba9876543210-of-these-tests",
}

in_production = pytest.mark.parametrize("settings", [SECRETS])


@pytest.fixture
def users(new_player):
    return new_player("alice"), new_player("mallory")


def name_in(tab):
    tab.locator("#player").wait_for()
    tab.locator("#username:not(:empty)").wait_for()
    return tab.inner_text("#username")


def test_a_fresh_browser_is_signed_in_by_the_demo_link(tab, server, player):
    tab.goto(f"{server}/?token={player.token}")

    assert name_in(tab) == player.username
    assert "token" not in tab.url


def test_a_link_does_not_replace_a_session(tab, server, users):
    alice, mallory = users
    tab.goto(f"{server}/?token={alice.token}")
    name_in(tab)

    tab.goto(f"{server}/?token={mallory.token}")
    tab.click("#offer button[value=stay]")

    assert name_in(tab) == "alice"
    assert "token" not in tab.url
    tab.reload()
    assert name_in(tab) == "alice"


def test_a_link_replaces_a_session_when_the_player_agrees(tab, server, users):
    alice, mallory = users
    tab.goto(f"{server}/?token={alice.token}")
    name_in(tab)

    tab.goto(f"{server}/?token={mallory.token}")
    tab.click("#offer-accept")

    tab.locator("#username", has_text="mallory").wait_for()
    tab.reload()
    assert name_in(tab) == "mallory"


@in_production
def test_in_production_a_link_signs_nobody_in_without_a_question(tab, server, player):
    tab.goto(f"{server}/?token={player.token}")

    tab.locator("#offer").wait_for()
    assert tab.is_visible("#spectator")
    assert not tab.is_visible("#player")


@in_production
def test_a_login_that_began_in_this_tab_ends_without_a_question(tab, server, player):
    come_back_with(player.token, tab, server)
    tab.goto(server)

    tab.click("#platform-login")

    assert name_in(tab) == player.username
    assert not tab.is_visible("#offer")


@in_production
def test_a_login_counts_for_one_token(tab, server, users):
    alice, mallory = users
    come_back_with(alice.token, tab, server)
    tab.goto(server)
    tab.click("#platform-login")
    name_in(tab)

    tab.goto(f"{server}/?token={mallory.token}")

    tab.locator("#offer").wait_for()
    assert name_in(tab) == "alice"


def come_back_with(token, tab, server):
    """Stand in for the provider, which sends the player back with a token."""
    back = f"<meta http-equiv=refresh content='0;url={server}/?token={token}'>"
    tab.route("**/auth/platform", lambda route: route.fulfill(content_type="text/html", body=back))
