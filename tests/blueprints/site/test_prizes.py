"""Prizes and affiliate earnings on the built-in page."""

import pytest
from playwright.sync_api import expect

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


def prizes(site, player):
    return site.get("/prizes", player).json()["data"]["prizes"]


@pytest.fixture
def winner(tab, sign_in, open_case, player):
    """The tab of a player who has just won a real-life prize and looks at it."""
    sign_in(tab, player, item=None)
    assert "Verified" in open_case(tab, CASE)
    tab.get_by_role("tab", name="Prizes").click()
    return tab


def test_a_real_life_case_wins_a_prize(site, winner, player):
    (prize,) = prizes(site, player)

    expect(winner.locator("#outcome")).to_contain_text(prize["name"])
    expect(winner.locator("#outcome")).to_contain_text("a prize worth")
    expect(winner.locator("#prizes li")).to_contain_text(prize["name"])
    expect(winner.locator("#balance")).to_have_text(f"{100 - PRICE:.2f} coins")


def test_a_prize_is_sold_for_its_value_after_a_question(site, winner, player):
    (prize,) = prizes(site, player)
    winner.get_by_role("button", name="Sell").click()
    winner.locator("#sale").get_by_role("button", name="Cancel").click()
    assert prizes(site, player)[0]["status"] == "kept"

    winner.get_by_role("button", name="Sell").click()
    winner.locator("#sale").get_by_role("button", name="Sell").click()

    expect(winner.locator("#prizes-said")).to_have_text(
        f"You sold {prize['name']} for {prize['value']:.2f} coins."
    )
    expect(winner.locator("#prizes li")).to_contain_text("Sold")
    expect(winner.locator("#balance")).to_have_text(f"{100 - PRICE + prize['value']:.2f} coins")


def test_a_prize_is_shipped_to_the_address_that_the_player_enters(site, winner, player):
    (prize,) = prizes(site, player)
    winner.get_by_role("button", name="Ship").click()
    winner.get_by_role("button", name="Ship to this address").click()
    expect(winner.locator("#shipping-problem")).to_have_text("Shipping details are incomplete.")

    for label, value in ADDRESS.items():
        winner.get_by_label(label).fill(value)
    winner.get_by_role("button", name="Ship to this address").click()

    expect(winner.locator("#prizes-said")).to_have_text(f"{prize['name']} will be shipped to you.")
    expect(winner.locator("#prizes li")).to_contain_text("Will be shipped")
    expect(winner.get_by_role("button", name="Sell")).to_have_count(0)
    assert prizes(site, player)[0]["status"] == "shipping"
    details = site.get("/profile/details", player).json()["data"]
    assert details["shippingAddress"]["city"] == "Springfield"


def test_a_prize_that_was_sold_elsewhere_is_shown_as_sold(site, winner, player):
    (prize,) = prizes(site, player)
    site.post(f"/prizes/{prize['id']}/sell", {}, player)

    winner.get_by_role("button", name="Sell").click()
    winner.locator("#sale").get_by_role("button", name="Sell").click()

    expect(winner.locator("#prizes-said")).to_have_text("Prize is no longer available.")
    expect(winner.locator("#prizes li")).to_contain_text("Sold")


def test_prizes_are_filtered_by_status(winner):
    winner.select_option("#prize-status", "sold")

    expect(winner.locator("#prizes li")).to_have_count(0)
    expect(winner.locator("#prizes-note")).to_contain_text("no prizes here yet")


def test_affiliate_earnings_are_claimed_in_the_account_menu(site, tab, sign_in, refer, player):
    owner = refer(player)
    site.run("payments", "record", player["platformid"], "deposit", "100.2", "--txhash", "ab" * 32)
    sign_in(tab, owner, item=None)
    tab.click("#player > button")
    expect(tab.locator("#earnings")).to_have_text("8.00 coins")

    tab.get_by_role("button", name="Claim").click()

    expect(tab.locator("#claim-said")).to_have_text("You claimed 8 coins.")
    expect(tab.locator("#earnings")).to_have_text("0.00 coins")
    expect(tab.locator("#balance")).to_have_text("108.00 coins")
    tab.get_by_role("button", name="Claim").click()
    expect(tab.locator("#claim-said")).to_have_text("There is nothing to claim.")
