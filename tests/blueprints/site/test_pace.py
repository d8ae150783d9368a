"""Quick mode, and several openings of a case one after another."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import (
    balance,
    choose_case,
    expect_stacked,
    go,
    hold_answers,
    open_case,
    route_bets,
    sign_in,
    spin,
)
from tests.support.chromium import PHONE, resize, violations

pytestmark = pytest.mark.browser

CASE, PRICE = "Pocket Lint", 0.69
LONG_SECONDS = 600

SLOW_WHEEL = """
    const fetched = fetch;
    globalThis.fetch = async (path, options) => {
      const response = await fetched(path, options);
      if (path !== "/upgrader/rules") return response;
      return Response.json({ ...(await response.json()), proofDelay: 600, ...globalThis.changedRules });
    };
"""
"""The page believes that the wheel turns for ten minutes, so only quick mode shows an outcome."""


@pytest.fixture
def slow(tab, site, player):
    """The page of a player whose wheel turns for ten minutes."""
    tab.add_init_script(SLOW_WHEEL)
    return sign_in(tab, site, player)


def choose_count(tab, count):
    tab.get_by_role("group", name="Openings one after another").locator("label").nth(count - 1).click()


def played(tab):
    return tab.locator("#proofs > li")


def test_quick_mode_shows_the_outcome_without_animation_and_is_remembered(slow):
    slow.get_by_role("switch", name="Quick mode").check()
    assert "Verified" in spin(slow)
    slow.reload()
    expect(slow.get_by_role("switch", name="Quick mode")).to_be_checked()

    open_case(slow, CASE)

    expect(slow.locator("#outcome")).to_contain_text(re.compile("You (won|got)"))
    expect(slow.locator("#proofs [data-verdict=good]")).to_have_count(2)


def test_quick_mode_keeps_the_shortest_time_between_two_bets(slow):
    slow.add_init_script(f"globalThis.changedRules = {{ minCycle: {LONG_SECONDS} }}")
    slow.reload()
    slow.locator("#items button").first.click()
    slow.get_by_role("switch", name="Quick mode").check()

    slow.locator("#spin").click()

    expect(slow.locator("#proofs > li")).to_have_count(1)
    expect(slow.locator("#why-not")).to_have_text("You can place the next bet in a moment.")
    expect(slow.locator("#spin")).to_be_disabled()


def test_three_openings_follow_each_other_after_one_click(tab, site, player):
    choose_case(sign_in(tab, site, player), CASE)
    choose_count(tab, 3)
    expect(tab.locator("#spin")).to_contain_text("for 2.07")

    tab.locator("#spin").click()

    expect(tab.locator("#outcome")).to_contain_text("Opened 3 of 3: ")
    expect(played(tab)).to_have_count(3)
    expect(tab.locator("#proofs [data-verdict=good]")).to_have_count(3)
    payouts = [bet["payout"] for bet in site.get("/stats/live-bets").json()["data"]["bets"][2::-1]]
    expect(tab.locator("#outcome")).to_contain_text(" + ".join(f"{payout:.2f}" for payout in payouts))
    assert balance(tab) == pytest.approx(100 - 3 * PRICE + sum(payouts))


def test_a_player_stops_further_openings_with_the_keyboard(tab, site, player):
    let_through = hold_answers(tab)
    choose_case(sign_in(tab, site, player), CASE)
    choose_count(tab, 5)
    expect(tab.locator("#spin")).to_be_enabled()
    tab.locator("#spin").focus()

    tab.keyboard.press("Enter")
    expect(tab.get_by_role("button", name="Stop")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator("#stop")).to_have_text("Stops after this one")
    let_through()

    expect(tab.locator("#outcome")).to_contain_text("Opened 1 of 5")
    expect(tab.locator(".count [value='5']")).to_be_focused()
    expect(tab.locator("#spin")).to_be_enabled()
    expect(played(tab)).to_have_count(1)


def test_openings_stop_at_the_first_refusal(tab, site, player):
    route_bets(tab)
    refused = {"status": False, "error": "Insufficient balance"}
    tab.refuse = lambda _payload: refused if len(tab.bets) == 2 else None
    choose_case(sign_in(tab, site, player), CASE)
    choose_count(tab, 5)

    tab.locator("#spin").click()

    outcome = "The opening was refused: Insufficient balance. Opened 1 of 5"
    expect(tab.locator("#outcome")).to_contain_text(outcome)
    expect(tab.locator("#spin")).to_be_enabled()
    assert len(tab.bets) == 2


def test_openings_stop_when_the_player_opens_another_page(tab, site, player):
    let_through = hold_answers(tab)
    choose_case(sign_in(tab, site, player), CASE)
    choose_count(tab, 5)
    tab.locator("#spin").click()
    expect(tab.locator("#stop")).to_be_visible()

    go(tab, "Upgrader")
    let_through()

    expect(played(tab)).to_have_count(1)
    expect(tab.locator("#spin")).to_be_enabled()
    expect(tab.locator("#spin")).to_have_text("Spin")
    assert len(tab.bets) == 1


def test_more_openings_than_the_balance_pays_for_are_not_begun(tab, site):
    (poor,) = site.run("users", "create", "poor", "--balance=1")
    choose_case(sign_in(tab, site, poor), CASE)

    choose_count(tab, 2)

    expect(tab.locator("#why-not")).to_have_text("Your balance is too small for 2 openings of this case.")
    expect(tab.locator("#spin")).to_be_disabled()


def test_the_choice_fits_a_phone_and_axe_finds_nothing(tab, site, player):
    choose_case(sign_in(tab, site, player), CASE)
    resize(tab, PHONE)
    tab.evaluate("scrollTo(0, 0)")
    expect_stacked(tab, PHONE, "#reel", ".count", "#spin")

    assert violations(tab, "#game") == {}
