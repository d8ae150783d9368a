"""Prizes of real-life cases on the built-in page."""

import pytest
from playwright.sync_api import expect

from services.accounts import users
from tests.blueprints.site.conftest import enter_code, go, lines_of, open_case, sign_in, turn_on_two_factor
from tests.support.openings import win_prize

pytestmark = pytest.mark.browser

ADDRESS = {
    "First name": "Alice",
    "Last name": "Example",
    "Street and number": "1 Example Street",
    "Postal code": "12345",
    "City": "Springfield",
    "Country": "Utopia",
}


def newest_prize(site, player):
    return site.get("/prizes", player).json()["data"]["prizes"][0]


@pytest.fixture
def line(tab, site, player):
    """The line of a prize worth 25 coins that the player has won."""
    with site.app() as app:
        win_prize(app, users.get(platform_id=player["platformid"]))
    go(sign_in(tab, site, player, item=None), "Prizes")
    line = lines_of(tab, "prizes")
    expect(line).to_contain_text("Yours")
    return line


def sell(tab, line, answer="Sell"):
    line.get_by_role("button", name="Sell").click()
    tab.locator("#sale").get_by_role("button", name=answer).click()


def test_a_prize_is_sold_for_its_value_after_a_question(tab, site, player, line):
    sell(tab, line, "Cancel")
    assert newest_prize(site, player)["status"] == "kept"

    sell(tab, line)

    expect(tab.locator("#prizes-said")).to_have_text("You sold Kettle for 25.00 coins.")
    expect(line).to_contain_text("Sold")
    expect(tab.locator("#balance")).to_have_text("120.00 coins")
    tab.select_option("#prizes-filter", "status=kept")
    expect(line).to_have_count(0)
    expect(tab.locator("#prizes-note")).to_contain_text("no prizes here yet")


@pytest.mark.thorough
def test_a_prize_is_shipped_to_the_entered_address(tab, site, player, line):
    line.get_by_role("button", name="Ship").click()
    tab.get_by_role("button", name="Ship to this address").click()
    expect(tab.locator("#shipping-problem")).to_have_text("Shipping details are incomplete.")

    for label, value in ADDRESS.items():
        tab.get_by_label(label).fill(value)
    tab.get_by_role("button", name="Ship to this address").click()

    expect(tab.locator("#prizes-said")).to_have_text("Kettle will be shipped to you.")
    expect(line).to_contain_text("Will be shipped")
    expect(line.get_by_role("button")).to_have_count(0)
    assert newest_prize(site, player)["status"] == "shipping"
    details = site.get("/profile/details", player).json()["data"]
    assert details["shippingAddress"]["city"] == "Springfield"


@pytest.mark.thorough
def test_a_prize_that_was_sold_elsewhere_is_shown_as_sold(tab, site, player, line):
    site.post(f"/prizes/{newest_prize(site, player)['id']}/sell", {}, player)

    sell(tab, line)

    expect(tab.locator("#prizes-said")).to_have_text("Prize is no longer available.")
    expect(line).to_contain_text("Sold")


@pytest.mark.thorough
def test_an_empty_page_of_prizes_is_replaced_by_the_last(tab, line):
    def add_a_page(route):
        response = route.fetch()
        content = response.json()
        content["data"]["totalPages"] = 2
        route.fulfill(response=response, json=content)

    tab.route("**/prizes?page=1&*", add_a_page)
    tab.select_option("#prizes-filter", "status=kept")
    expect(tab.locator("#prizes-page")).to_have_text("Page 1 of 2")

    with tab.expect_response("**/prizes?page=2&*"), tab.expect_response("**/prizes?page=1&*"):
        tab.get_by_role("navigation", name="Pages of prizes").get_by_role("button", name="Next").click()

    expect(line).to_be_visible()


@pytest.mark.thorough
def test_a_prize_is_won_and_sold_once_a_code_confirms_the_sale(tab, site, player):
    code = turn_on_two_factor(site, player)
    open_case(sign_in(tab, site, player, item=None), "Desk Upgrade")
    expect(tab.locator("#outcome")).to_contain_text(f"{newest_prize(site, player)['name']}, a prize worth")
    go(tab, "Prizes")
    line = lines_of(tab, "prizes")
    sell(tab, line)
    enter_code(tab, "aaaa-aaaa-aaaa")
    expect(tab.locator("#code-prompt-problem")).to_contain_text("This code is wrong")
    tab.keyboard.press("Escape")
    expect(tab.locator("#prizes-said")).to_have_text("No code was entered, so nothing has changed.")

    sell(tab, line)
    enter_code(tab, code)

    expect(tab.locator("#prizes-said")).to_contain_text("You sold")
    expect(line).to_contain_text("Sold")
