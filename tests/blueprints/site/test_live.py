"""What others play: live bets, what a case has paid, and how many are online."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, open_case, sign_in, spin
from tests.support.chromium import violations

pytestmark = pytest.mark.browser

CASE = "Pocket Lint"


def test_a_live_opening_shows_its_item_and_leads_to_its_case(site, guest, shared):
    go(guest, "Live")
    open_case(shared, CASE)
    bet = site.get("/stats/live-bets").json()["data"]["bets"][0]

    row = guest.locator("#bets tr").first
    expect(row).to_contain_text(shared.player["username"])
    expect(row.locator("img")).to_have_attribute("src", bet["image"])
    expect(row.get_by_role("link", name=bet["item"])).to_have_attribute("href", f"/b/{bet['id']}")
    row.get_by_role("link", name=CASE).click()

    expect(guest.locator("#game-title")).to_have_text(CASE)


def test_live_bets_are_filtered_in_the_address(guest, shared):
    go(guest, "Live")
    for wager in ("1.00", "60.00"):
        shared.fill("#wager", wager)
        spin(shared)
    expect(guest.locator("#bets tr").first).to_contain_text("60.00")
    expect(guest.locator("#bets tr").first).to_contain_text("High roll")

    guest.select_option("#show", "high")
    expect(guest.locator("#bets tr", has_not_text="High roll")).to_have_count(0)
    assert guest.url.endswith("/live?show=high")
    guest.go_back()
    expect(guest.locator("#bets tr", has_not_text="High roll")).not_to_have_count(0)

    guest.select_option("#show", "irl")
    guest.route("**/socket.io/**", lambda route: route.abort())
    assert violations(guest, ".browse") == {}


def test_a_case_shows_who_opened_it_last_and_its_best_drops(site, shared, tab):
    tab.goto(f"{site.url}/cases/two-worlds")
    expect(tab.locator("#case-activity")).to_be_visible()

    open_case(shared, "Two Worlds")
    bet = site.get("/stats/live-bets").json()["data"]["bets"][0]

    last = tab.locator("#case-activity section", has_text="Opened last").locator("li").first
    expect(last).to_contain_text(shared.player["username"])
    expect(last).to_contain_text(bet["item"])
    tab.reload()
    expect(last).to_contain_text(bet["item"])
    expect(tab.locator("#case-activity section", has_text="Best drops").locator("li").first).to_be_visible()
    assert violations(tab, "#case-activity") == {}


def test_the_header_says_how_many_are_online(guest):
    expect(guest.locator("#online")).to_have_text(re.compile(r"^\d+ online$"))


@pytest.mark.parametrize("size", [(1366, 768), (320, 640)], ids=["desktop", "narrow"])
def test_the_header_of_a_player_is_not_too_wide(tab, site, player, size):
    sign_in(tab, site, player)
    tab.set_viewport_size({"width": size[0], "height": size[1]})

    assert tab.evaluate("document.documentElement.scrollWidth") == size[0]
