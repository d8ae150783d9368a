"""A link with a token replaces a player's session only after a question."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import serve_site

pytestmark = pytest.mark.browser

SECRETS = {
    "APP_ENV": "production",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-of-these-tests",
    "JWT_SECRET": "zyxwvutsrqponmlkjihgfedcba9876543210-of-these-tests",
}


@pytest.fixture(scope="module")
def production(tmp_path_factory, sqlite_files):
    directory = tmp_path_factory.mktemp("production")
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(directory, database_url, **SECRETS) as site,
    ):
        yield site


@pytest.fixture
def users(site):
    return site.new_player(), site.new_player()


def expect_player(tab, player):
    expect(tab.locator("#username")).to_have_text(player["username"])


def test_a_fresh_browser_is_signed_in_by_the_demo_link(tab, site, player):
    tab.goto(f"{site.url}/?token={player['token']}")

    expect_player(tab, player)
    assert "token" not in tab.url


def test_a_link_does_not_replace_a_session(tab, site, users):
    alice, mallory = users
    tab.goto(f"{site.url}/?token={alice['token']}")
    expect_player(tab, alice)

    tab.goto(f"{site.url}/?token={mallory['token']}")
    tab.click("#offer button[value=cancel]")

    expect_player(tab, alice)
    assert "token" not in tab.url
    tab.reload()
    expect_player(tab, alice)


def test_a_link_replaces_a_session_when_the_player_agrees(tab, site, users):
    alice, mallory = users
    tab.goto(f"{site.url}/?token={alice['token']}")
    expect_player(tab, alice)

    tab.goto(f"{site.url}/?token={mallory['token']}")
    tab.click("#offer-accept")

    expect_player(tab, mallory)
    tab.reload()
    expect_player(tab, mallory)


def test_a_player_who_signs_out_is_a_guest_after_a_reload(tab, site, player):
    tab.goto(f"{site.url}/?token={player['token']}")
    tab.click("#player button[popovertarget=account]")
    tab.click("#sign-out")

    expect(tab.locator("#spectator")).to_be_visible()
    expect(tab.locator("#why-not")).to_contain_text("guest")
    tab.reload()
    expect(tab.locator("#spectator")).to_be_visible()


def test_in_production_a_link_signs_nobody_in_without_a_question(tab, production):
    tab.goto(f"{production.url}/?token={production.new_player()['token']}")

    expect(tab.locator("#offer")).to_be_visible()
    expect(tab.locator("#spectator")).to_be_visible()
    expect(tab.locator("#player")).to_be_hidden()


def test_a_login_that_began_in_this_tab_ends_without_a_question(tab, production):
    player = production.new_player()
    come_back_with(player, tab, production)
    tab.goto(production.url)

    tab.click("#platform-login")

    expect_player(tab, player)
    expect(tab.locator("#offer")).to_be_hidden()


def test_a_login_counts_for_one_token(tab, production):
    alice, mallory = production.new_player(), production.new_player()
    come_back_with(alice, tab, production)
    tab.goto(production.url)
    tab.click("#platform-login")
    expect_player(tab, alice)

    tab.goto(f"{production.url}/?token={mallory['token']}")

    expect(tab.locator("#offer")).to_be_visible()
    expect_player(tab, alice)


def come_back_with(player, tab, site):
    """Stand in for the provider, which sends the player back with a token."""
    back = f"<meta http-equiv=refresh content='0;url={site.url}/?token={player['token']}'>"
    tab.route("**/auth/platform", lambda route: route.fulfill(content_type="text/html", body=back))
