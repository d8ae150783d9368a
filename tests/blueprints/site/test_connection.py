"""What the page says and does while there is no connection, and when it is back."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import SET_ONLINE, go, sign_in

pytestmark = pytest.mark.browser


@pytest.fixture
def page(tab, site, player):
    """The page of a player. While ``page.is_cut``, it can't connect its socket."""
    tab.is_cut = False
    tab.route_web_socket(
        "**/socket.io/**",
        lambda socket: socket.close() if tab.is_cut else socket.connect_to_server(),
    )
    return sign_in(tab, site, player)


def test_a_player_who_is_offline_is_told_and_goes_on_afterwards(page):
    page.is_cut = True
    page.evaluate(SET_ONLINE, False)

    expect(page.locator("#notice")).to_contain_text("You are offline.")
    expect(page.locator("#line")).to_have_text("Offline")
    expect(page.locator("#spin")).to_be_disabled()
    page.is_cut = False
    page.evaluate(SET_ONLINE, True)
    expect(page.locator("#line")).to_have_text("Live")
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("#spin")).to_be_enabled()


def test_what_could_not_be_loaded_is_loaded_when_the_connection_is_back(page):
    go(page, "Ranking")
    expect(page.locator("#leaders .name").first).to_be_visible()
    page.route("**/leaderboard*", lambda route: route.abort())
    page.select_option("#period", "monthly")
    expect(page.locator("#leaders-note")).to_contain_text("could not be loaded")
    page.unroute_all()

    page.evaluate(SET_ONLINE, False)
    page.evaluate(SET_ONLINE, True)

    expect(page.locator("#leaders-note")).to_be_empty()
