"""Every page, opened by its address, at both sizes and in both themes: axe finds nothing."""

import pytest
from playwright.sync_api import expect

from bench.harness.waiting import wait_until
from blueprints.site.routes import PAGES
from tests.blueprints.site.accounts import fill_account, play
from tests.blueprints.site.conftest import sign_in
from tests.support.chromium import DESKTOP, PHONE, tabs, violations_at

pytestmark = pytest.mark.browser

PATHS = [path.replace("<id>", "night-shift") for path in PAGES]
FOR_PLAYERS = [path for path in PATHS if path == "/new-case" or path.startswith("/account")]
FOR_GUESTS = [path for path in PATHS if path not in FOR_PLAYERS]
EMPTY = {
    "bets": "There are no such bets.",
    "payments": "Nothing to show.",
    "prizes": "There are no prizes here yet.",
    "notifications": "There are none.",
}


def look(tab, address):
    """Opens a page; what is wrong with it, by size and theme."""
    tab.goto(address, wait_until="networkidle")
    expect(tab.locator("main")).not_to_contain_text("Loading…")
    expect(tab.locator(".skeleton, main [aria-busy=true]")).to_have_count(0)
    return {
        what: elements
        for size in (PHONE, DESKTOP)
        for theme in ("light", "dark")
        for what, elements in violations_at(tab, size, theme).items()
    }


@pytest.fixture(scope="module")
def player_tab(chromium, site):
    """The page of a player of level 25 who has used everything."""
    player = site.new_player()
    fill_account(site, player)
    with tabs(chromium) as open_tab:
        yield sign_in(open_tab(), site, player, item=None)


@pytest.fixture(scope="module")
def newcomer_tab(chromium, site):
    """The page of a player who has done nothing yet."""
    with tabs(chromium) as open_tab:
        yield sign_in(open_tab(), site, site.new_player(), item=None)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_of_a_player_fits_and_axe_finds_nothing(player_tab, site, path):
    assert look(player_tab, site.url + path) == {}
    expect(player_tab.locator("#guest-note")).to_have_count(0)


@pytest.mark.parametrize("path", [*FOR_GUESTS, "/account/vault"])
def test_a_page_of_a_guest_fits_and_axe_finds_nothing(guest, site, path):
    assert look(guest, site.url + path) == {}


@pytest.mark.parametrize(("name", "text"), EMPTY.items())
def test_an_empty_list_says_so_and_leads_on(newcomer_tab, site, name, text):
    assert look(newcomer_tab, f"{site.url}/account/{name}") == {}

    note = newcomer_tab.locator("#browse [role=status]", has_text=text)
    expect(note.get_by_role("link").first).to_be_visible()


def test_the_pages_of_shared_bets_fit_and_axe_finds_nothing(tab, site, player):
    _lost, won, opened = play(site, player)
    for bet in (won, opened):
        wait_until(lambda id_=bet: site.get(f"/bets/{id_}").ok)

        assert look(tab, f"{site.url}/b/{bet}") == {}
        expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "good")
