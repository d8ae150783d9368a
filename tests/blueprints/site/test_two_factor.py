"""Two-factor authentication and sessions on the built-in page."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import (
    enter_code,
    go,
    open_case,
    refer,
    sign_in,
    turn_on,
    turn_on_two_factor,
)

pytestmark = pytest.mark.browser

RECOVERY_CODE = re.compile(r"[a-z2-7]{4}(-[a-z2-7]{4}){2}")


def test_two_factor_authentication_is_turned_on_and_off_with_codes(site, tab, player):
    go(sign_in(tab, site, player, item=None), "Security")
    tab.get_by_role("button", name="Turn on two-factor authentication").click()
    assert tab.get_by_role("img", name="QR code").evaluate("image => image.decode().then(() => true)")
    enter_code(tab, "12345")
    expect(tab.locator("#code-prompt-problem")).to_have_text("A code has six digits.")
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.locator("#security-said")).to_have_text("No code was entered, so nothing has changed.")

    code = turn_on(tab)
    assert site.get("/profile/2fa/status", player).json()["enabled"]
    recovery_code = draw_recovery_codes(tab, code)
    tab.get_by_role("button", name="Turn off two-factor authentication").click()
    enter_code(tab, recovery_code)

    expect(tab.locator("#security-said")).to_have_text("Two-factor authentication is off.")
    assert not site.get("/profile/2fa/status", player).json()["enabled"]


def draw_recovery_codes(tab, code):
    """Recovery codes are shown until the player has stored them. Returns one."""
    tab.get_by_role("button", name="Draw new recovery codes").click()
    enter_code(tab, code)
    dialog = tab.get_by_role("dialog", name="Your new recovery codes")
    expect(dialog).to_contain_text("Store these codes now")
    for _ in range(2):
        tab.keyboard.press("Escape")
    codes = dialog.locator("li").all_inner_texts()
    assert len(set(codes)) == 10
    assert all(RECOVERY_CODE.fullmatch(code) for code in codes)
    with tab.expect_download() as download:
        dialog.get_by_role("link", name="Save as a file").click()
    assert download.value.path().read_text().split() == codes

    dialog.get_by_role("button", name="I have stored them").click()
    expect(dialog).to_have_count(0)
    assert codes[0] not in tab.content()
    return codes[0]


@pytest.fixture
def code(site, player):
    """Turns two-factor authentication on; a recovery code. It covers the page's token for five minutes."""
    return turn_on_two_factor(site, player)


def test_a_prize_is_sold_once_a_code_confirms_the_sale(site, tab, player, code):
    def sell():
        tab.get_by_role("button", name="Sell").click()
        tab.locator("#sale").get_by_role("button", name="Sell").click()

    open_case(sign_in(tab, site, player, item=None), "Desk Upgrade")
    go(tab, "Prizes")
    sell()
    enter_code(tab, "aaaa-aaaa-aaaa")
    expect(tab.locator("#code-prompt-problem")).to_contain_text("This code is wrong")
    tab.keyboard.press("Escape")
    expect(tab.locator("#prizes-said")).to_have_text("No code was entered, so nothing has changed.")

    sell()
    enter_code(tab, code)

    expect(tab.locator("#prizes-said")).to_contain_text("You sold")
    expect(tab.locator("#prizes li")).to_contain_text("Sold")


def test_affiliate_earnings_are_claimed_once_a_code_confirms_it(site, tab, player, code):
    referred = site.new_player()
    refer(site, referred, player)
    site.run("payments", "record", referred["platformid"], "deposit", "100.2", "--txhash", "cd" * 32)
    site.count_as_lost(referred, 2_000_00)
    go(sign_in(tab, site, player, item=None), "Referrals")
    expect(tab.locator("#earnings")).to_have_text("8.00 coins")

    tab.get_by_role("button", name="Claim").click()
    enter_code(tab, code)

    expect(tab.locator("#claim-said")).to_have_text("You claimed 8.00 coins.")
    expect(tab.locator("#claim-said")).to_be_visible()
    expect(tab.locator("#earnings")).to_have_text("0.00 coins")
    expect(tab.get_by_role("button", name="Claim")).to_have_count(0)


def test_raising_a_limit_needs_code_and_time_unlike_lowering(site, tab, player, code):
    go(sign_in(tab, site, player, item=None), "Limits and breaks")
    said = tab.locator("#limits-said")
    for verb, coins in (("Set", "20"), ("Change", "10")):
        tab.get_by_role("button", name=f"{verb} daily loss limit").click()
        tab.get_by_label("Limit in coins").fill(coins)
        tab.keyboard.press("Enter")
        expect(said).to_have_text(f"Your daily loss limit is now {coins}.00 coins.")

    tab.get_by_role("button", name="Change daily loss limit").click()
    tab.get_by_role("button", name="Remove the limit").click()
    enter_code(tab, code)

    expect(said).to_contain_text("Your daily loss limit stays 10.00 coins.")
    expect(tab.locator("#loss-limits li", has_text="Daily")).to_contain_text(
        "You asked for no limit. You can confirm this from"
    )
    expect(tab.get_by_role("button", name="Confirm")).to_have_count(0)
    tab.get_by_role("button", name="Keep 10.00 coins as daily loss limit").click()
    expect(said).to_have_text("Your daily loss limit is now 10.00 coins.")
    assert site.get("/limits", player).json()["pending"] == []


def test_a_login_asks_for_a_code_and_signs_in(production, tab):
    def log_in():
        tab.goto(production.url)
        tab.click("#spectator a")

    log_in()
    expect(tab.locator("#username")).to_have_text("Alice")
    code = turn_on(go(tab, "Security"))
    tab.evaluate("localStorage.clear()")

    log_in()
    expect(tab.get_by_role("dialog", name="Enter a code to sign in")).to_be_visible()
    expect(tab.locator("#spectator")).to_be_visible()
    enter_code(tab, code)

    expect(tab.locator("#username")).to_have_text("Alice")
    expect(tab.locator("#player")).to_be_visible()
    assert "challenge" not in tab.url


def test_a_challenge_of_another_browser_does_not_sign_in(tab, site):
    tab.goto(f"{site.url}/?challenge={'ab' * 32}")
    enter_code(tab, "123456")

    expect(tab.locator("#notice")).to_have_text("This sign-in has expired. Please sign in again.")
    expect(tab.locator("#spectator")).to_be_visible()


def test_logging_out_everywhere_ends_the_session_of_another_tab(open_tab, site, player):
    other = sign_in(open_tab(), site, player, item=None)
    tab = go(sign_in(open_tab(), site, player, item=None), "Security")

    tab.get_by_role("button", name="Log out everywhere").click()

    expect(tab.locator("#notice")).to_have_text("You have been logged out everywhere.")
    expect(tab.locator("#spectator")).to_be_visible()
    other.click("#player > button")
    expect(other.locator("#notice")).to_have_text("Your session has expired. Please sign in again.")
    expect(other.locator("#spectator")).to_be_visible()


def test_a_suspended_player_is_told_at_login_and_later(site, tab, player):
    tab.goto(f"{site.url}/?error=account_suspended")
    expect(tab.locator("#notice")).to_have_text(
        "Your account is suspended, so you can't sign in. Please contact support."
    )
    site.run("users", "suspend", player["platformid"])

    tab.goto(f"{site.url}/?token={player['token']}")

    expect(tab.locator("#notice")).to_have_text(
        "Your account is suspended: you can't play. Please contact support."
    )
