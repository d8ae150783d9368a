"""Choosing an item or a case: filters in the address, and an aim."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, sign_in
from tests.support.chromium import violations

pytestmark = pytest.mark.browser


def prices(tab, within):
    return [float(text.removesuffix(" coins").replace(",", "")) for text in within.all_text_contents()]


def test_items_are_filtered_by_wear_game_and_price_in_the_address(site, tab):
    tab.goto(site.url)
    tab.select_option("#wear", "Field-Tested")
    tab.select_option("#type", "gamea")
    tab.select_option("#sort", "Ascending")
    tab.fill("#minPrice", "20,5")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile("minPrice=20.5"))

    tab.reload()

    expect(tab.locator("#items li", has_not_text="Field-Tested")).to_have_count(0)
    expect(tab.locator("#items li").first).to_be_visible()
    shown = prices(tab, tab.locator("#items .coins"))
    assert shown == sorted(shown)
    assert shown[0] >= 20.5
    tab.go_back()
    expect(tab.locator("#minPrice")).to_have_value("")
    expect(tab.locator("#sort")).to_have_value("Ascending")


def test_a_price_that_is_no_amount_filters_nothing_and_stays(site, tab):
    tab.goto(site.url)
    tab.fill("#minPrice", "cheap")
    tab.keyboard.press("Enter")

    assert not tab.evaluate("document.querySelector('#minPrice').validity.valid")
    assert tab.input_value("#minPrice") == "cheap"
    assert tab.url == f"{site.url}/"


def test_filters_without_a_match_lead_back_to_all_items(site, tab):
    tab.goto(f"{site.url}/?minPrice=999999")

    tab.get_by_role("link", name="Show all items").click()

    expect(tab.locator("#items li").first).to_be_visible()


@pytest.mark.parametrize(
    ("number", "unit", "least", "most"), [("4", "multiplier", 4, 5), ("25", "chance", 3.8, 4.8)]
)
def test_an_aim_chooses_the_cheapest_item_that_reaches_it(tab, site, player, number, unit, least, most):
    sign_in(tab, site, player)
    tab.fill("#wager", "10")
    tab.get_by_label("Aim for").fill(number)
    tab.get_by_label("Multiplier or chance").select_option(unit)

    tab.keyboard.press("Enter")
    tab.get_by_role("button", name="Choose the item").click()

    expect(tab.locator("#items [aria-pressed=true]")).to_have_count(1)
    (chosen,) = prices(tab, tab.locator("#wanted-price .coins"))
    found = site.get(f"/upgrader/items/pagination?minPrice={10 * least}&sort=Ascending&limit=1").json()
    assert f"${chosen:.2f}" == found["items"][0]["price"]
    assert chosen <= 10 * most


@pytest.mark.parametrize(
    ("number", "problem"),
    [("1", "Please enter a multiplier above 1."), ("99999", "No item costs 99,999.00 coins or more.")],
)
def test_an_aim_that_cannot_be_reached_is_explained(tab, site, player, number, problem):
    sign_in(tab, site, player)
    chosen = tab.locator("#wanted-name").text_content()

    tab.get_by_label("Aim for").fill(number)
    tab.get_by_role("button", name="Choose the item").click()

    expect(tab.locator("#aim-problem")).to_have_text(problem)
    assert tab.input_value("#aim-at") == number
    assert tab.locator("#wanted-name").text_content() == chosen
    assert violations(tab, ".browse") == {}


def test_cases_are_filtered_by_kind_and_price_and_sorted(site, tab):
    tab.goto(f"{site.url}/cases?kind=irl&sort=Price+Descending")
    costs = tab.locator("#cases .card > .coins")
    expect(costs.first).to_be_visible()
    expect(tab.locator("#cases h3")).to_have_text(["Real-life prizes"])
    assert prices(tab, costs) == sorted(prices(tab, costs), reverse=True)

    tab.select_option("#kind", "regular")
    expect(tab.locator("#cases h3")).to_have_text(["Cases"])
    tab.fill("#maxPrice", "2")
    tab.keyboard.press("Enter")
    expect(tab.locator("#cases").get_by_text("Daily Crumbs")).to_be_visible()
    tab.locator("#cases .card", has_text="Pocket Lint").click()

    expect(tab.locator("#game-title")).to_have_text("Pocket Lint")
    assert all(cost <= 2 for cost in prices(tab, costs))
    assert "kind=regular" in tab.url
    tab.go_back()
    expect(tab.locator("#kind")).to_have_value("regular")
    assert violations(tab, ".browse") == {}


def test_no_matching_case_leads_back_to_all_cases(guest):
    go(guest, "Cases")
    guest.fill("#case-search", "no such case")

    guest.get_by_role("link", name="Show all cases").click()

    expect(guest.locator("#cases li").first).to_be_visible()
    expect(guest.locator("#case-search")).to_have_value("")


def test_a_long_list_of_cases_leads_to_its_pages(site, tab):
    def one_a_page(route):
        route.continue_(url=route.request.url.replace("limit=24", "limit=1"))

    tab.route("**/api/cases/pagination?*", one_a_page)
    tab.goto(f"{site.url}/cases?sort=Price+Ascending")
    cards = tab.locator("#cases[aria-busy=false] .card")

    tab.get_by_role("link", name="All level cases").click()
    expect(cards).to_have_count(1)
    first = cards.text_content()
    tab.get_by_role("button", name="Next").click()

    expect(tab).to_have_url(re.compile(r"sort=Price\+Ascending&kind=level&page=2$"))
    expect(cards).not_to_have_text(first)
    expect(cards).to_have_count(1)
