"""Prizes of real-life cases on the built-in page."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import balance, go, open_case

pytestmark = pytest.mark.browser

CASE, PRICE = "Desk Upgrade", 33.9

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
def line(shared):
    """The line of a prize that the player of the shared page has just won."""
    shared.before = balance(shared)
    assert "Verified" in open_case(shared, CASE)
    shared.outcome = shared.locator("#outcome").text_content()
    go(shared, "Prizes")
    line = shared.locator("#prizes li").first
    expect(line).to_contain_text("Yours")
    return line


def sell(tab, line, answer="Sell"):
    line.get_by_role("button", name="Sell").click()
    tab.locator("#sale").get_by_role("button", name=answer).click()


def test_a_prize_is_sold_for_its_value_after_a_question(site, shared, line):
    prize = newest_prize(site, shared.player)
    assert f"{prize['name']}, a prize worth" in shared.outcome
    expect(line).to_contain_text(prize["name"])
    assert balance(shared) == pytest.approx(shared.before - PRICE)
    sell(shared, line, "Cancel")
    assert newest_prize(site, shared.player)["status"] == "kept"

    sell(shared, line)

    expect(shared.locator("#prizes-said")).to_have_text(
        f"You sold {prize['name']} for {prize['value']:.2f} coins."
    )
    expect(line).to_contain_text("Sold")
    paid = shared.before - PRICE + prize["value"]
    expect(shared.locator("#balance")).to_have_text(f"{paid:,.2f} coins")


def test_a_prize_is_shipped_to_the_entered_address(site, shared, line):
    prize = newest_prize(site, shared.player)
    line.get_by_role("button", name="Ship").click()
    shared.get_by_role("button", name="Ship to this address").click()
    expect(shared.locator("#shipping-problem")).to_have_text("Shipping details are incomplete.")

    for label, value in ADDRESS.items():
        shared.get_by_label(label).fill(value)
    shared.get_by_role("button", name="Ship to this address").click()

    expect(shared.locator("#prizes-said")).to_have_text(f"{prize['name']} will be shipped to you.")
    expect(line).to_contain_text("Will be shipped")
    expect(line.get_by_role("button")).to_have_count(0)
    assert newest_prize(site, shared.player)["status"] == "shipping"
    details = site.get("/profile/details", shared.player).json()["data"]
    assert details["shippingAddress"]["city"] == "Springfield"


def test_a_prize_that_was_sold_elsewhere_is_shown_as_sold(site, shared, line):
    site.post(f"/prizes/{newest_prize(site, shared.player)['id']}/sell", {}, shared.player)

    sell(shared, line)

    expect(shared.locator("#prizes-said")).to_have_text("Prize is no longer available.")
    expect(line).to_contain_text("Sold")


def test_an_empty_page_of_prizes_is_replaced_by_the_last(shared, line):
    def add_a_page(route):
        response = route.fetch()
        content = response.json()
        content["data"]["totalPages"] = 2
        route.fulfill(response=response, json=content)

    shared.route("**/prizes?page=1&*", add_a_page)
    shared.select_option("#prizes-filter", "status=kept")
    expect(shared.locator("#prizes-page")).to_have_text("Page 1 of 2")

    with shared.expect_response("**/prizes?page=2&*"), shared.expect_response("**/prizes?page=1&*"):
        shared.get_by_role("navigation", name="Pages of prizes").get_by_role("button", name="Next").click()

    expect(line).to_be_visible()
    shared.unroute_all()
    shared.select_option("#prizes-filter", "status=all")


def test_prizes_are_filtered_by_status(shared, line):
    shared.select_option("#prizes-filter", "status=shipped")

    expect(shared.locator("#prizes li")).to_have_count(0)
    expect(shared.locator("#prizes-note")).to_contain_text("no prizes here yet")
    shared.select_option("#prizes-filter", "status=kept")
    expect(line).to_contain_text("Yours")
    shared.select_option("#prizes-filter", "status=all")
