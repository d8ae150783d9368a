"""axe finds nothing on the pages on a dark desktop and on a narrow light phone, and nothing is too wide.

With SCREENSHOTS set to a directory, the tests write the screenshots of the documents into it.
"""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from blueprints.site.routes import UNAVAILABLE_PAGE
from tests.blueprints.site.conftest import (
    choose_case,
    enter_code,
    go,
    open_case,
    open_cashier,
    open_details,
    sign_in,
    spin,
    turn_on,
)
from tests.support.chromium import screenshot, violations
from tests.support.golden_log import golden_files
from tests.support.golden_vectors import OPENINGS, SPINS

pytestmark = pytest.mark.browser


def test_axe_finds_nothing_before_and_after_a_spin(shared):
    assert violations(shared, "#game") == {}

    shared.locator("#items button").nth(17).click()
    shared.fill("#wager", "50")
    spin(shared)

    screenshot(shared, "page-dark")
    open_details(shared)
    shared.locator("#proofs summary").first.click()
    assert violations(shared) == {}


def test_axe_finds_nothing_on_leaderboard_and_menu(shared):
    shared.click("#player > button")
    assert violations(shared, "header") == {}
    shared.keyboard.press("Escape")

    go(shared, "Ranking")
    shared.locator("#leaders li").first.wait_for()
    assert violations(shared, ".browse") == {}


def test_axe_finds_nothing_on_cases_an_opening_and_prizes(shared):
    choose_case(shared, "Night Shift")
    shared.fill("#case-search", "")
    expect(shared.get_by_role("link", name="Barista at Home")).to_be_visible()
    assert violations(shared, ".browse, #game") == {}

    spin(shared)

    screenshot(shared, "page-case-dark")
    shared.locator("#proofs summary").first.click()
    assert violations(shared, "#game, .played") == {}
    open_case(shared, "Desk Upgrade")
    go(shared, "Prizes")
    shared.get_by_role("button", name="Ship").first.click()
    shared.fill("#shipping-form [name=firstName]", "")
    shared.click("#shipping-accept")
    expect(shared.locator("#shipping-problem")).not_to_be_empty()
    assert violations(shared, "#shipping") == {}
    shared.keyboard.press("Escape")
    shared.get_by_role("button", name="Sell").first.click()
    assert violations(shared, "#sale") == {}
    shared.keyboard.press("Escape")


def test_axe_finds_nothing_on_the_account_and_its_dialogs(tab, site, player):
    # A raise that is not confirmed, a break, and a limit.
    for value in (50, 100):
        site.send("PUT", "/limits", {"kind": "wager", "period": "day", "value": value}, player)
    site.send("PUT", "/limits", {"kind": "loss", "period": "month", "value": 200}, player)
    site.post("/limits/exclusion", {"duration": "24h"}, player)
    go(sign_in(tab, site, player, item=None), "Limits and breaks")
    assert violations(tab) == {}
    screenshot(tab, "page-account-dark")

    tab.get_by_role("button", name="Change daily wager limit").click()
    tab.fill("#limit-value", "much")
    tab.keyboard.press("Enter")
    expect(tab.locator("#limit-problem")).not_to_be_empty()
    assert violations(tab, "#limit") == {}
    tab.keyboard.press("Escape")
    tab.select_option("#break-duration", "permanent")
    tab.get_by_role("button", name="Take a break").click()
    assert violations(tab, "#break") == {}
    tab.keyboard.press("Escape")
    go(tab, "Account")
    assert violations(tab) == {}
    go(tab, "Referrals")
    tab.get_by_role("button", name="Enter a promo code").click()
    tab.keyboard.press("Enter")
    expect(tab.locator("#promo-problem")).not_to_be_empty()
    assert violations(tab, "#promo") == {}
    tab.keyboard.press("Escape")
    go(tab, "Security")
    assert violations(tab) == {}
    tab.get_by_role("button", name="Turn on two-factor authentication").click()
    expect(tab.locator(".qr")).to_be_visible()
    assert violations(tab, "#code-prompt") == {}
    tab.keyboard.press("Escape")
    code = turn_on(tab)
    tab.get_by_role("button", name="Draw new recovery codes").click()
    enter_code(tab, code)
    expect(tab.locator("#recovery-dialog")).to_be_visible()
    assert violations(tab, "#recovery-dialog") == {}


def test_axe_finds_nothing_on_the_cashier_and_its_dialog(tab, site, player):
    site.send("PUT", "/limits", {"kind": "deposit", "period": "day", "value": 20}, player)
    open_cashier(sign_in(tab, site, player, item=None))
    tab.route("**/payments/deposits/*", lambda route: route.abort())  # The deposit stays open.
    tab.fill("#deposit-amount", "20")
    tab.keyboard.press("Enter")
    expect(tab.locator("#checkout-qr")).to_be_visible()
    tab.fill("#deposit-amount", "1")
    tab.keyboard.press("Enter")
    expect(tab.locator("#deposit-problem")).not_to_be_empty()
    assert violations(tab) == {}

    tab.fill("#withdrawal-amount", "5")
    tab.fill("#withdrawal-to", "an address " * 23)
    tab.keyboard.press("Enter")
    assert violations(tab, "#agreement") == {}
    tab.locator("#agreement").get_by_role("button", name="Withdraw").click()
    expect(tab.locator("#payment-name")).to_contain_text("Withdrawal")
    assert violations(tab, ".browse") == {}


def test_axe_finds_nothing_on_the_log_with_a_verified_bet(shared):
    spin(shared)
    shared.get_by_role("link", name="Public log").click()
    shared.get_by_role("button", name="Verify").first.click()
    expect(shared.locator("#logged .checks")).to_be_visible()
    assert violations(shared, ".browse") == {}

    go(shared, "Upgrader")
    shared.locator("#proofs summary").first.click()
    expect(shared.locator("#proofs .receipt").first).to_be_visible()
    assert violations(shared, ".played") == {}


def test_axe_finds_nothing_on_the_demonstration_of_a_payment_page(tab, site):
    tab.goto(f"{site.url}/demo-checkout/1")

    assert violations(tab) == {}


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
    tab.route(
        "**/*", lambda route: route.fulfill(status=503, content_type="text/html", body=UNAVAILABLE_PAGE)
    )
    tab.goto(site.url)

    assert violations(tab) == {}


def test_axe_finds_nothing_at_a_linked_operation_of_the_documentation(tab, site):
    tab.goto(f"{site.url}/docs/#getCase")
    expect(tab.locator("#getCase")).to_be_visible()

    # All operations look alike.
    assert violations(tab, dark_part="#getCase, nav") == {}
