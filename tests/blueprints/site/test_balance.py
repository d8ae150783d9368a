"""The balance in the header: what a bet has left until its outcome is shown, in every tab."""

import pytest
from playwright.sync_api import expect

from services.accounts import users
from tests.blueprints.site.conftest import open_details, sign_in
from tests.support.client_seeds import client_seed_that

pytestmark = pytest.mark.browser

DEAREST = 2489
"""The price of the first item."""

NOTE = """
    globalThis.seen = [];
    const note = () => {
        const shown = document.getElementById("balance")?.textContent;
        if (shown?.includes(" coins") && seen.at(-1) !== shown) seen.push(shown);
    };
    new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true });
"""
"""Notes each balance that the page shows."""

LEFT, WON = "99.00 coins", "2,588.00 coins"


@pytest.fixture
def begin_to_win(tab, site, player):
    """Begins a spin that wins, on a wheel that turns for these seconds."""

    def spin(seconds):
        rules = site.get("/upgrader/rules").json() | {"proofDelay": seconds}
        tab.context.route("**/upgrader/rules", lambda route: route.fulfill(json=rules))
        tab.context.add_init_script(NOTE)
        sign_in(tab, site, player)
        with site.app() as app:
            owner = users.get(platform_id=player["platformid"])
            seed = client_seed_that(True, app=app, player=owner, wager=1, price=DEAREST)
        open_details(tab)
        tab.fill("#client-seed", seed)
        tab.locator("#spin").click()

    return spin


def shown_by(tab):
    return tab.locator("#balance")


def test_the_balance_shows_what_is_left_until_the_wheel_has_stopped(tab, begin_to_win):
    begin_to_win(1)

    expect(shown_by(tab)).to_have_text(WON)
    assert tab.evaluate("seen") == ["100.00 coins", LEFT, WON]


def test_no_other_tab_and_no_reload_tells_the_outcome_earlier(tab, site, begin_to_win):
    other = tab.context.new_page()
    begin_to_win(600)
    expect(tab.locator("#nonce")).to_have_text("2")
    other.goto(site.url)
    tab.reload()

    for each in (tab, other):
        expect(each.locator("#nonce")).to_have_text("2")
        expect(shown_by(each)).to_have_text(LEFT)
        assert WON not in each.evaluate("seen")
