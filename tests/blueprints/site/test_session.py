"""Signing in and out, two-factor authentication, and one session for all tabs of a browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import open_page
from tests.blueprints.site.conftest import enter_code, go, sign_in, turn_on

pytestmark = pytest.mark.browser

EXPIRED = "Your session has expired. Please sign in again."
RECOVERY_CODE = re.compile(r"[a-z2-7]{4}(-[a-z2-7]{4}){2}")


def expect_player(tab, player):
    expect(tab.locator("#username")).to_have_text(player["username"])


# Two-factor authentication


def test_two_factor_authentication_is_turned_on_and_off_with_codes(tab, site, player):
    open_page(tab, site, player, "/security")
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
    expect(tab.locator("#recovery-dialog")).to_have_count(0)
    assert codes[0] not in tab.content()
    return codes[0]


@pytest.mark.thorough
def test_a_login_asks_for_a_code_and_signs_in(tab, production):
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
    assert "challenge" not in tab.url


@pytest.mark.thorough
def test_a_challenge_of_another_browser_does_not_sign_in(tab, site):
    tab.goto(f"{site.url}/?challenge={'ab' * 32}")
    enter_code(tab, "123456")

    expect(tab.locator("#notice")).to_have_text("This sign-in has expired. Please sign in again.")
    expect(tab.locator("#spectator")).to_be_visible()


# Links with a token


@pytest.mark.thorough
@pytest.mark.security("Links with a token")
def test_a_link_replaces_the_session_of_every_tab_only_when_the_player_agrees(tab, site):
    alice, mallory = site.new_player(), site.new_player()
    link = f"{site.url}/?token={mallory['token']}"
    sign_in(tab, site, alice, item=None)
    other = tab.context.new_page()
    other.goto(site.url)

    tab.goto(link)
    tab.click("#offer button[value=cancel]")
    expect_player(tab, alice)
    assert "token" not in tab.url
    tab.goto(link)
    tab.click("#offer-accept")

    for each in (tab, other):
        expect_player(each, mallory)
        expect(each.locator("#line")).to_have_text("Live")
    tab.reload()
    expect_player(tab, mallory)


@pytest.mark.thorough
@pytest.mark.security("Links with a token")
def test_in_production_only_this_tabs_login_needs_no_question(tab, production):
    alice, mallory = production.new_player(), production.new_player()
    # Stands in for the provider, which sends the player back with a token.
    back = f"<meta http-equiv=refresh content='0;url={production.url}/?token={alice['token']}'>"
    tab.route("**/auth/platform", lambda route: route.fulfill(content_type="text/html", body=back))
    tab.goto(f"{production.url}/?token={mallory['token']}")
    tab.click("#offer button[value=cancel]")
    expect(tab.locator("#player")).to_have_count(0)

    tab.locator("#why-not").get_by_role("link", name="Sign in with the game platform").click()
    expect_player(tab, alice)
    expect(tab.locator("#offer")).to_be_hidden()

    tab.goto(f"{production.url}/?token={mallory['token']}")
    expect(tab.locator("#offer")).to_be_visible()
    expect_player(tab, alice)


# The end of a session


@pytest.mark.security("The token in the browser")
def test_signing_out_signs_out_every_tab(tab, site, player):
    sign_in(tab, site, player, item=None)
    other = tab.context.new_page()
    other.goto(f"{site.url}/account/limits")
    other.get_by_role("button", name="Set daily wager limit").click()

    tab.click("#player > button")
    tab.click("#sign-out")

    expect(tab.locator("#spectator a").first).to_be_focused()
    for each in (tab, other):
        expect(each.locator("#spectator")).to_be_visible()
        expect(each.locator("#player")).to_be_hidden()
        assert each.evaluate("localStorage.token") is None
    expect(tab.locator("#why-not")).to_contain_text("guest")
    expect(other.locator("#guest-note")).to_have_text("Sign in to see your limits.")
    expect(other.locator("#notice")).to_have_text("You were signed out in another tab.")
    expect(other.locator("dialog[open]")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.security("The token in the browser")
def test_logging_out_everywhere_ends_the_sessions_of_other_browsers(open_tab, site, player):
    elsewhere = sign_in(open_tab(), site, player, item=None)
    tab = open_page(open_tab(), site, player, "/security")

    tab.get_by_role("button", name="Log out everywhere").click()

    expect(tab.locator("#notice")).to_have_text("You have been logged out everywhere.")
    expect(tab.locator("#spectator")).to_be_visible()
    elsewhere.click("#player > button")
    expect(elsewhere.locator("#notice")).to_have_text(EXPIRED)
    expect(elsewhere.locator("#spectator")).to_be_visible()


@pytest.mark.thorough
def test_a_suspended_player_is_told_at_login_and_later(tab, site, player):
    tab.goto(f"{site.url}/?error=account_suspended")
    expect(tab.locator("#notice")).to_have_text(
        "Your account is suspended, so you can't sign in. Please contact support."
    )
    site.run("users", "suspend", player["platformid"])

    tab.goto(f"{site.url}/?token={player['token']}")

    expect(tab.locator("#notice")).to_have_text(
        "Your account is suspended: you can't play. Please contact support."
    )


# The demo


def test_a_guest_goes_on_as_the_demo_player_where_they_are(tab, site):
    tab.goto(f"{site.url}/account/vault")
    tab.locator("#browse").get_by_role("button", name="Play the demo").click()
    expect(tab.locator("#username")).to_have_text("demo")
    expect(tab).to_have_url(f"{site.url}/account/vault")
    expect(tab.get_by_role("heading", name="Vault", exact=True)).to_be_visible()

    tab.click("#player > button")
    tab.click("#sign-out")
    tab.locator("#spectator").get_by_role("button", name="Play the demo").click()

    expect(tab.locator("#username")).to_have_text("demo")


@pytest.mark.thorough
def test_production_offers_no_demo(tab, production):
    tab.goto(production.url)

    expect(
        tab.locator("#spectator").get_by_role("link", name="Sign in with the game platform")
    ).to_be_visible()
    expect(tab.get_by_role("button", name="Play the demo")).to_have_count(0)
    assert tab.locator("html").get_attribute("data-demo-code") is None
    assert tab.request.post(f"{production.url}/demo/session").status == 404
