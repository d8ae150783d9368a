"""axe finds nothing on any page, on a phone and a desktop, light and dark, and nothing is too wide.

With SCREENSHOTS set to a directory, the tests write the screenshots of the documents into it.
"""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from blueprints.site.routes import PAGES, UNAVAILABLE_PAGE
from tests.blueprints.site.accounts import fill_account, open_page, play
from tests.blueprints.site.conftest import (
    choose_case,
    enter_code,
    go,
    newest_bet,
    open_case,
    open_details,
    sign_in,
    spin,
    turn_on,
)
from tests.support.chromium import DESKTOP, PHONE, screenshot, violations, violations_at
from tests.support.golden_log import golden_files
from tests.support.golden_vectors import OPENINGS, SPINS

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

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


# Every page, opened by its address


@pytest.mark.parametrize("path", PATHS)
def test_a_page_of_a_player_fits_and_axe_finds_nothing(tab, site, player, path):
    fill_account(site, player)
    sign_in(tab, site, player, item=None)

    assert look(tab, site.url + path) == {}

    expect(tab.locator("#guest-note")).to_have_count(0)


@pytest.mark.parametrize("path", [*FOR_GUESTS, "/account/vault", "/demo-checkout/1"])
def test_a_page_of_a_guest_fits_and_axe_finds_nothing(tab, site, path):
    assert look(tab, site.url + path) == {}


@pytest.mark.parametrize(("name", "text"), EMPTY.items())
def test_an_empty_list_says_so_and_leads_on(tab, site, player, name, text):
    sign_in(tab, site, player, item=None)

    assert look(tab, f"{site.url}/account/{name}") == {}

    note = tab.locator("#browse [role=status]", has_text=text)
    expect(note.get_by_role("link").first).to_be_visible()


def test_the_pages_of_shared_bets_fit_and_axe_finds_nothing(tab, site, player):
    _lost, won, opened = play(site, player)
    newest_bet(site, player)  # It is revealed last.
    for bet in (won, opened):
        assert look(tab, f"{site.url}/b/{bet}") == {}
        expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "good")


def test_axe_finds_nothing_on_the_page_that_verifies(tab, site):
    tab.goto(f"{site.url}/verify")
    for bet in (SPINS[0], OPENINGS[0]):
        tab.evaluate("values => { location.hash = values }", urlencode(bet["input"]))
        expect(tab.locator("#digest")).to_have_text(bet["output"]["digest"])
        file = {"name": "proof", "mimeType": "", "buffer": golden_files()["spin.tlog-proof"].encode()}
        tab.set_input_files("#logFile", file)
        expect(tab.locator("#log-checks")).to_be_visible()

        assert violations(tab) == {}


def test_axe_finds_nothing_on_the_page_of_an_unavailable_service(tab, site):
    page = {"status": 503, "content_type": "text/html", "body": UNAVAILABLE_PAGE}
    tab.route("**/*", lambda route: route.fulfill(**page))
    tab.goto(site.url)

    assert violations(tab) == {}


def test_axe_finds_nothing_at_a_linked_operation_of_the_documentation(tab, site):
    tab.goto(f"{site.url}/docs/#getCase")
    expect(tab.locator("#getCase")).to_be_visible()

    # All operations look alike.
    assert violations(tab, dark_part="#getCase, nav") == {}


# What a page shows after something was done


def test_axe_finds_nothing_after_a_spin_and_in_the_menu(open_tab, site, player):
    tab = open_tab(color_scheme="dark")
    sign_in(tab, site, player, item=17)
    tab.fill("#wager", "50")
    spin(tab)
    screenshot(tab, "page-dark")
    open_details(tab)
    tab.locator("#proofs summary").click()
    expect(tab.locator("#proofs .receipt")).to_be_visible()
    assert violations(tab) == {}

    tab.click("#player > button")
    assert violations(tab, "header") == {}


def test_axe_finds_nothing_on_an_opening_and_the_dialogs_of_a_prize(open_tab, site, player):
    tab = open_tab(color_scheme="dark")
    choose_case(sign_in(tab, site, player, item=None), "Night Shift")
    tab.fill("#case-search", "")
    expect(tab.get_by_role("link", name="Barista at Home")).to_be_visible()
    spin(tab)
    screenshot(tab, "page-case-dark")
    tab.locator("#proofs summary").first.click()
    assert violations(tab) == {}

    open_case(tab, "Desk Upgrade")
    go(tab, "Prizes")
    tab.get_by_role("button", name="Ship").click()
    tab.click("#shipping-accept")
    expect(tab.locator("#shipping-problem")).not_to_be_empty()
    assert violations(tab, "#shipping") == {}
    tab.keyboard.press("Escape")
    tab.get_by_role("button", name="Sell").click()
    assert violations(tab, "#sale") == {}


def test_axe_finds_nothing_on_limits_and_their_dialogs(open_tab, site, player):
    tab = open_tab(color_scheme="dark")
    # A raise that is not confirmed, a break, and a limit.
    for value in (50, 100):
        site.send("PUT", "/limits", {"kind": "wager", "period": "day", "value": value}, player)
    site.send("PUT", "/limits", {"kind": "loss", "period": "month", "value": 200}, player)
    site.post("/limits/exclusion", {"duration": "24h"}, player)
    open_page(tab, site, player, "/limits")
    screenshot(tab, "page-account-dark")
    assert violations(tab) == {}

    tab.get_by_role("button", name="Change daily wager limit").click()
    tab.fill("#limit-value", "much")
    tab.keyboard.press("Enter")
    expect(tab.locator("#limit-problem")).not_to_be_empty()
    assert violations(tab, "#limit") == {}
    tab.keyboard.press("Escape")
    tab.select_option("#break-duration", "permanent")
    tab.get_by_role("button", name="Take a break").click()
    assert violations(tab, "#break") == {}


def test_axe_finds_nothing_on_the_dialogs_of_codes(tab, site, player):
    open_page(tab, site, player, "/referrals")
    tab.get_by_role("button", name="Enter a promo code").click()
    tab.keyboard.press("Enter")
    expect(tab.locator("#promo-problem")).not_to_be_empty()
    assert violations(tab, "#promo") == {}
    tab.keyboard.press("Escape")

    go(tab, "Security")
    tab.get_by_role("button", name="Turn on two-factor authentication").click()
    expect(tab.locator(".qr")).to_be_visible()
    assert violations(tab, "#code-prompt") == {}
    tab.keyboard.press("Escape")
    code = turn_on(tab)
    tab.get_by_role("button", name="Draw new recovery codes").click()
    enter_code(tab, code)
    expect(tab.locator("#recovery-dialog")).to_be_visible()
    assert violations(tab, "#recovery-dialog") == {}


def test_axe_finds_nothing_on_payments_that_were_made(tab, site, player):
    site.send("PUT", "/limits", {"kind": "deposit", "period": "day", "value": 20}, player)
    open_page(tab, site, player, "/cashier")
    tab.route("**/payments/deposits/*", lambda route: route.abort())  # The deposit stays open.
    for amount in ("20", "1"):
        tab.fill("#deposit-amount", amount)
        tab.keyboard.press("Enter")
        expect(tab.locator("#checkout-qr")).to_be_visible()
    expect(tab.locator("#deposit-problem")).not_to_be_empty()
    assert violations(tab) == {}

    tab.fill("#withdrawal-amount", "5")
    tab.fill("#withdrawal-to", "an address " * 23)
    tab.keyboard.press("Enter")
    expect(tab.locator("#agreement")).to_be_visible()
    assert violations(tab, "#agreement") == {}
    tab.locator("#agreement").get_by_role("button", name="Withdraw").click()
    expect(tab.locator("#payment-name")).to_contain_text("Withdrawal")
    assert violations(tab, ".browse") == {}


def test_axe_finds_nothing_on_problems_beside_the_game(tab, site, player):
    sign_in(tab, site, player)
    tab.get_by_label("Aim for").fill("1")
    tab.get_by_role("button", name="Choose the item").click()
    expect(tab.locator("#aim-problem")).not_to_be_empty()
    assert violations(tab, ".browse") == {}

    spin(tab)
    tab.get_by_role("link", name="Public log").click()
    tab.get_by_role("button", name="Verify spin 1").click()
    expect(tab.locator("#logged .checks")).to_be_visible()
    assert violations(tab, ".browse") == {}
