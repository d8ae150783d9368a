"""The page of rewards: what a player claims there, and what it shows live and during a break."""

import pytest
from playwright.sync_api import expect

from services.accounts import users
from services.rewards import grants
from services.rewards.free_openings import case_to_give
from tests.blueprints.site.conftest import balance, go, newest_bet, sign_in, spin, tab_to

pytestmark = pytest.mark.browser

CASE = "pocket-lint"
WAITING = "nav .waiting"


def test_rakeback_and_a_gift_are_claimed_by_keyboard(tab, site, player):
    site.count_as_lost(player, 100_00)
    sign_in(tab, site, player, item=None)
    expect(tab.locator(WAITING)).to_be_visible()
    go(tab, "Rewards")
    expect(tab.locator("#rakeback-available")).to_have_text("0.50 coins")
    expect(tab.locator("#gifts-progress")).to_have_text(
        "You have level 1. Level 2 gives 0.50 coins: wager 300 coins more."
    )

    for button in ("[aria-label^='Claim the rakeback']", "[aria-label^='Claim 0.50 coins for level 1']"):
        tab_to(tab, button)
        tab.keyboard.press("Enter")
        expect(tab.locator("#claimed")).to_be_focused()
        expect(tab.locator("#claimed")).to_have_text("0.50 coins were added to your balance.")
        expect(tab.locator(button)).to_have_count(0)

    expect(tab.locator("#balance")).to_have_text("101.00 coins")
    expect(tab.locator(WAITING)).to_have_count(0)


@pytest.mark.thorough
def test_a_grant_of_staff_appears_without_a_reload(tab, site, player):
    sign_in(tab, site, player, item=None)
    go(tab, "Rewards")
    expect(tab.locator("#gifts-title")).to_be_visible()

    with site.app() as app:
        clock, user = app.extensions["services"].clock, users.get(platform_id=player["platformid"])
        grants.grant(user_id=user.id, coins=5_00, reason="for waiting", now=clock())

    tab.locator("#grants").get_by_role("button", name="Claim 5.00 coins").click()
    expect(tab.locator("#balance")).to_have_text("105.00 coins")
    expect(tab.locator("#grants li")).to_contain_text("Claimed")


def test_a_player_on_a_break_is_shown_no_reward(tab, site, player):
    site.count_as_lost(player, 100_00)
    sign_in(tab, site, player, item=None)
    go(tab, "Rewards")
    expect(tab.locator(WAITING)).to_be_visible()

    go(tab, "Limits and breaks")
    tab.get_by_role("button", name="Take a break").click()
    tab.get_by_role("button", name="Take the break").click()
    expect(tab.locator("#withdraw-all")).to_be_visible()
    tab.keyboard.press("Escape")

    expect(tab.locator(WAITING)).to_have_count(0)
    go(tab, "Rewards")
    expect(tab.locator("#rewards-note")).to_contain_text("There are no rewards while you can't play.")
    expect(tab.locator("#rewards")).to_have_count(0)


def test_a_granted_opening_is_played_free_once(tab, site, player):
    with site.app() as app:
        clock, user = app.extensions["services"].clock, users.get(platform_id=player["platformid"])
        grants.grant(user_id=user.id, case=case_to_give(CASE), reason="for waiting", now=clock())
    sign_in(tab, site, player, item=None)
    go(tab, "Rewards")
    tab.locator("#grants").get_by_role("link", name="Open it: Pocket Lint").click()
    expect(tab.locator("#free-opening")).to_have_text("Free opening")
    expect(tab.locator("#spin")).to_have_text("Open free")

    assert "Verified" in spin(tab)

    bet = newest_bet(site, player)
    assert bet["betAmount"] == 0
    assert balance(tab) == pytest.approx(100 + bet["payout"])
    expect(tab.locator("#why-not")).to_contain_text("This free opening was used, or is not offered any more.")
    expect(tab.locator("#spin")).to_have_attribute("aria-disabled", "true")
    tab.get_by_role("link", name="Open the case for its price").click()
    expect(tab.locator("#spin")).to_have_text("Open for 0.69 coins")


@pytest.mark.thorough
def test_a_guest_reads_what_there_is(tab, site):
    tab.goto(f"{site.url}/rewards")

    expect(tab.locator("#offered")).to_contain_text("10 % of what the house expects to win with your bets")
    expect(tab.locator("#offered")).to_contain_text("level 1 gives 0.50 coins, after 100 coins wagered")
