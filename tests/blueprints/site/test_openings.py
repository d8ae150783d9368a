"""Openings of cases: the reel, the price, the proof, what a case requires, and several at once."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import (
    balance,
    choose_case,
    expect_stacked,
    go,
    newest_bet,
    open_case,
    promo_code,
    sign_in,
    spin,
    turn_slowly,
)
from tests.support.chromium import DESKTOP, PHONE, resize

pytestmark = pytest.mark.browser

CASE, PRICE = "Pocket Lint", 0.69

CELL_AT_MARKER = """
  const reel = document.getElementById("reel").getBoundingClientRect();
  const marker = reel.left + reel.width / 2;
  const places = [...document.querySelectorAll(".cell")].map((cell) => [cell, cell.getBoundingClientRect()]);
  const [cell, { left, width }] = places.find(([, { left, right }]) => left <= marker && marker < right);
  ({ item: cell.innerText.trim(), within: (marker - left) / width, isMarked: "won" in cell.dataset });
"""
"""The cell of the reel that the marker points at, and where in the cell."""


def range_of(bet):
    """The first ticket and the width of the item that a bet won."""
    start = 0
    for item in bet["items"]:
        width = int(item["width"])
        if item["name"] == bet["item"]:
            return start, width
        start += width
    raise AssertionError("the case does not contain the item")


def choose_count(tab, count):
    tab.get_by_role("group", name="Openings at once").locator("label").nth(count - 1).click()


@pytest.mark.regulation("RTS 14E: results are not sped up")
def test_an_opening_is_paid_and_verified_and_the_reel_stops_where_the_ticket_says(tab, site, player):
    sign_in(tab, site, player, item=None)

    assert "Verified" in open_case(tab, CASE)

    bet = newest_bet(site, player)
    start, width = range_of(bet)
    cell = tab.evaluate(CELL_AT_MARKER)
    assert (cell["item"], cell["isMarked"]) == (bet["item"], True)
    assert cell["within"] == pytest.approx((int(bet["ticket"]) - start) / width, abs=0.03)
    expect(tab.locator("#reel")).to_have_attribute(
        "aria-label", f"The reel of {CASE} stopped at {bet['item']}"
    )
    expect(tab.locator("#case-items [data-won] .name")).to_have_text(bet["item"])
    expect(tab.locator("#outcome")).to_contain_text(bet["item"])
    expect(tab.locator("#fairness-state")).to_have_text("✓ Opening 1 verified")
    assert balance(tab) == pytest.approx(100 - PRICE + bet["payout"])
    with tab.context.expect_page() as opened:
        tab.get_by_role("link", name="Verify opening 1").click()
    expect(opened.value.locator("#verdict")).to_contain_text("✓")
    expect(opened.value.locator("#result")).to_contain_text(bet["item"])


@pytest.mark.thorough
def test_the_free_case_needs_a_code_and_opens_once(tab, site, player):
    code = promo_code(site, site.new_player())
    sign_in(tab, site, player, item=None)
    choose_case(tab, "Daily Crumbs")
    condition = tab.locator("#cases .condition.locked")
    expect(condition).to_have_text("Needs a promo code")
    expect(tab.locator("#why-not")).to_have_text(
        "The free case needs a promo code. The code KETTLE is one of this demo."
    )

    tab.get_by_role("button", name="Enter a promo code").click()
    tab.get_by_role("textbox", name="Promo code").fill("NOBODYS")
    tab.keyboard.press("Enter")
    expect(tab.locator("#promo-problem")).to_have_text("Promo code is invalid")
    tab.get_by_role("textbox", name="Promo code").fill(code)
    tab.keyboard.press("Enter")

    expect(tab.locator("#outcome")).to_have_text("You have received a bonus of 0.20 coins.")
    expect(condition).to_have_count(0)
    tab.locator("#spin").click()
    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")
    expect(tab.locator("#balance")).to_have_text(f"{100.2 + newest_bet(site, player)['payout']:.2f} coins")
    expect(tab.locator("#why-not")).to_have_text("You have opened the free case already.")
    expect(condition).to_have_text("Already opened")


def test_five_openings_end_in_five_cards_and_one_sum(tab, site, player):
    choose_case(sign_in(tab, site, player, item=None), CASE)
    choose_count(tab, 5)
    expect(tab.get_by_role("img", name=f"of {CASE}")).to_have_count(5)

    tab.locator("#spin").click()

    cards = tab.locator("#reels .drawn-item")
    expect(cards).to_have_count(5)
    prices = [float(text.split()[0]) for text in cards.locator(".coins").all_text_contents()]
    worth, net = sum(prices), sum(prices) - 5 * PRICE
    said = f"Opened 5 of 5: worth {worth:.2f}, net {'+' if net > 0 else chr(0x2212)}{abs(net):.2f} coins."
    expect(tab.locator("#outcome")).to_have_text(said)
    expect(tab.locator("#game")).to_have_attribute("data-outcome", "won" if net > 0 else "lost")
    assert balance(tab) == pytest.approx(100 + net)


@pytest.mark.thorough
def test_openings_stop_when_the_player_opens_another_page(tab, site, player):
    turn_slowly(tab, site)
    choose_case(sign_in(tab, site, player, item=None), CASE)
    choose_count(tab, 5)
    tab.locator("#spin").click()
    expect(tab.locator("#stop")).to_be_visible()

    go(tab, "Prizes")
    tab.go_back()

    expect(tab.locator("#stop")).to_have_text("Stops after this one")


@pytest.mark.thorough
def test_bets_are_listed_again_after_a_reload_in_another_tab_and_elsewhere(open_tab, site, player):
    tab = open_tab()
    other = tab.context.new_page()
    for each in (tab, other):
        sign_in(each, site, player, item=None)
    open_case(tab, CASE)
    line = tab.locator("#proofs > li")
    expect(line.get_by_role("button", name="Share opening 1")).to_be_visible()
    shown = line.inner_text()
    assert all(text in shown for text in ("Verified", f"Wager {PRICE}", f"Opening 1 · {CASE}"))

    expect(other.locator("#proofs .verdict")).to_contain_text("Verified")
    tab.reload()

    expect(line).to_have_text(shown, use_inner_text=True)
    elsewhere = sign_in(open_tab(), site, player, item=None).locator("#proofs > li")
    expect(elsewhere).to_contain_text(f"· {CASE} ·")
    expect(elsewhere.locator(".verdict")).to_contain_text("did not see who chose them")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_reel_choice_and_button_stay_visible_and_in_place(tab, site, player, size):
    resize(tab, size)
    choose_case(sign_in(tab, site, player, item=None), CASE)
    expect(tab.locator("#spin")).to_be_enabled()
    tab.evaluate("scrollTo(0, 0)")
    expect_stacked(tab, size, "#reel", ".count", "#spin")
    before = [tab.locator(name).bounding_box() for name in ("#reel", "#spin", "#case-items")]

    spin(tab)

    assert [tab.locator(name).bounding_box() for name in ("#reel", "#spin", "#case-items")] == before
    assert tab.evaluate("document.documentElement.scrollWidth") == size[0]
    tab.get_by_role("link", name="Back to the wheel").click()
    expect(tab.get_by_role("heading", name="Items", exact=True)).to_be_focused()
    expect(tab).to_have_url(re.compile("/$"))
