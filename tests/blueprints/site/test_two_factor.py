"""Two-factor authentication and sessions on the built-in page."""

import re
import time

import pyotp
import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import TWO_FACTOR_STEP_SECONDS, serve_site
from tests.support.platform_provider import platform_provider

pytestmark = pytest.mark.browser

RECOVERY_CODE = re.compile(r"[a-z2-7]{4}(-[a-z2-7]{4}){2}")


def enter_code(tab, code):
    tab.get_by_label("Code", exact=True).fill(code)
    tab.keyboard.press("Enter")


def turn_on(tab):
    """Turns it on as a player does; the code that is valid next."""
    tab.get_by_role("button", name="Turn on two-factor authentication").click()
    app, now = pyotp.TOTP(tab.locator("#secret").inner_text()), int(time.time())
    enter_code(tab, app.at(now))
    expect(tab.locator("#security-said")).to_contain_text("Two-factor authentication is on.")
    return app.at(now + TWO_FACTOR_STEP_SECONDS)


def test_two_factor_authentication_is_turned_on_and_off_with_codes(site, tab, sign_in, open_account, player):
    open_account(sign_in(tab, player, item=None))
    tab.get_by_role("button", name="Turn on two-factor authentication").click()
    assert tab.get_by_role("img", name="QR code").evaluate("image => image.decode().then(() => true)")
    enter_code(tab, "12345")
    expect(tab.locator("#code-problem")).to_have_text("A code has six digits.")
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.locator("#security-said")).to_have_text("No code was entered, so nothing has changed.")

    code = turn_on(tab)
    assert site.get("/profile/2fa/status", player).json()["enabled"]
    tab.get_by_role("button", name="Turn off two-factor authentication").click()
    enter_code(tab, code)

    expect(tab.locator("#security-said")).to_have_text("Two-factor authentication is off.")
    assert not site.get("/profile/2fa/status", player).json()["enabled"]


def test_recovery_codes_are_shown_until_the_player_has_stored_them(tab, sign_in, open_account, player):
    open_account(sign_in(tab, player, item=None))
    code = turn_on(tab)
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
    assert codes[0] not in tab.content()


def test_a_prize_is_sold_once_a_code_confirms_the_sale(site, tab, sign_in, open_case, two_factor, player):
    def sell():
        tab.get_by_role("button", name="Sell").click()
        tab.locator("#sale").get_by_role("button", name="Sell").click()

    (code, *_) = two_factor(player)
    open_case(sign_in(tab, player, item=None), "Desk Upgrade")
    tab.get_by_role("tab", name="Prizes").click()
    sell()
    enter_code(tab, "aaaa-aaaa-aaaa")
    expect(tab.locator("#code-problem")).to_contain_text("This code is wrong")
    tab.keyboard.press("Escape")
    expect(tab.locator("#prizes-said")).to_have_text("No code was entered, so nothing has changed.")

    sell()
    enter_code(tab, code)

    expect(tab.locator("#prizes-said")).to_contain_text("You sold")
    expect(tab.locator("#prizes li")).to_contain_text("Sold")


def test_a_claim_that_a_code_confirms_is_reported_in_the_menu(site, tab, sign_in, refer, two_factor, player):
    owner = refer(player)
    (code, *_) = two_factor(owner)
    site.run("payments", "record", player["platformid"], "deposit", "100.2", "--txhash", "cd" * 32)
    sign_in(tab, owner, item=None)
    tab.click("#player > button")

    tab.get_by_role("button", name="Claim").click()
    enter_code(tab, code)

    expect(tab.locator("#claim-said")).to_have_text("You claimed 8 coins.")
    expect(tab.locator("#claim-said")).to_be_visible()


@pytest.fixture
def login_site(tmp_path, sqlite_files):
    """A server with a login provider. Its logins ask players with 2FA for a code."""
    with (
        platform_provider() as provider,
        sqlite_files.fresh(tmp_path) as database_url,
        serve_site(tmp_path, database_url, TWO_FACTOR_REQUIRED_FOR="login", **provider.settings) as site,
    ):
        yield site


def test_a_login_asks_for_a_code_and_signs_in(login_site, tab, open_account):
    def log_in():
        tab.goto(login_site.url)
        tab.click("#platform-login")

    log_in()
    expect(tab.locator("#username")).to_have_text("Alice")
    code = turn_on(open_account(tab))
    tab.evaluate("sessionStorage.clear()")

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


def test_logging_out_everywhere_ends_the_session_of_another_tab(open_tab, sign_in, open_account, player):
    other = sign_in(open_tab(), player, item=None)
    tab = open_account(sign_in(open_tab(), player, item=None))

    tab.get_by_role("button", name="Log out everywhere").click()

    expect(tab.locator("#notice")).to_have_text("You have been logged out everywhere.")
    expect(tab.locator("#spectator")).to_be_visible()
    other.get_by_role("tab", name="Account").click()
    expect(other.locator("#notice")).to_have_text("Your session has expired. Please sign in again.")
    expect(other.locator("#spectator")).to_be_visible()


def test_a_suspended_player_reads_it_at_login_and_on_the_page(site, tab, player):
    tab.goto(f"{site.url}/?error=account_suspended")
    expect(tab.locator("#notice")).to_have_text(
        "Your account is suspended, so you can't sign in. Please contact support."
    )
    site.run("users", "suspend", player["platformid"])

    tab.goto(f"{site.url}/?token={player['token']}")

    expect(tab.locator("#notice")).to_have_text(
        "Your account is suspended: you can't play. Please contact support."
    )
