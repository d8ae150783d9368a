"""Limits and breaks on the built-in page."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import open_page
from tests.blueprints.site.conftest import enter_code, go, sign_in, spin, turn_on_two_factor

pytestmark = pytest.mark.browser

PAGE = "Limits and breaks"
HOUR_MS = 3_600_000


def set_limit(tab, name, coins):
    """Sets a limit in the dialog that its button opens."""
    tab.get_by_role("button", name=name).click()
    tab.get_by_label("Limit in coins").fill(coins)
    tab.keyboard.press("Enter")


def line(tab, kind, period):
    return tab.locator(f"#{kind}-limits li", has_text=period)


@pytest.mark.regulation("RTS 12A: limits at any time")
def test_a_first_limit_applies_at_once_and_refuses_bets(tab, site, player):
    spin(sign_in(tab, site, player))
    go(tab, PAGE)
    set_limit(tab, "Set weekly wager limit", "1e3")
    expect(tab.locator("#limit-problem")).to_have_text(
        "The limit must be a number with at most two decimals."
    )
    tab.keyboard.press("Escape")
    expect(line(tab, "wager", "Weekly")).to_contain_text("Weekly: no limit")
    expect(line(tab, "wager", "Monthly")).to_contain_text("1.00 coins wagered so far")

    set_limit(tab, "Set monthly wager limit", "1.5")

    expect(tab.locator("#limits-said")).to_have_text("Your monthly wager limit is now 1.50 coins.")
    expect(line(tab, "wager", "Monthly")).to_contain_text("Monthly: 1.50 coins")
    go(tab, "Upgrader").locator("#spin").click()
    expect(tab.locator("#outcome")).to_contain_text("This bet would exceed your monthly wager limit.")


@pytest.mark.thorough
@pytest.mark.regulation("RTS 12C: easy to find")
def test_a_higher_limit_is_confirmed_after_a_day(tab, site, player):
    for value in (10, 50):
        limit = {"kind": "wager", "period": "week", "value": value}
        pending = site.send("PUT", "/limits", limit, player)
    # Tests of the API show that the server accepts this a day later.
    confirmed = []
    tab.route("**/confirm", lambda route: (confirmed.append(route.request.url), route.fulfill(json={})))
    tab.clock.set_fixed_time(pending["confirmableAt"] + HOUR_MS)
    open_page(tab, site, player, "/limits")

    tab.get_by_role("button", name="Confirm 50.00 coins as weekly wager limit").click()

    expect(tab.locator("#limits-said")).to_have_text("Your weekly wager limit is now 50.00 coins.")
    assert confirmed == [f"{site.url}/limits/requests/{pending['id']}/confirm"]


@pytest.mark.thorough
def test_raising_a_limit_needs_code_and_time_unlike_lowering(tab, site, player):
    code = turn_on_two_factor(site, player)
    open_page(tab, site, player, "/limits")
    said = tab.locator("#limits-said")
    for verb, coins in (("Set", "20"), ("Change", "10")):
        set_limit(tab, f"{verb} daily loss limit", coins)
        expect(said).to_have_text(f"Your daily loss limit is now {coins}.00 coins.")

    tab.get_by_role("button", name="Change daily loss limit").click()
    tab.get_by_role("button", name="Remove the limit").click()
    enter_code(tab, code)

    expect(said).to_contain_text("Your daily loss limit stays 10.00 coins.")
    expect(line(tab, "loss", "Daily")).to_contain_text("You asked for no limit. You can confirm this from")
    expect(tab.get_by_role("button", name="Confirm")).to_have_count(0)
    tab.get_by_role("button", name="Keep 10.00 coins as daily loss limit").click()
    expect(said).to_have_text("Your daily loss limit is now 10.00 coins.")
    assert site.get("/limits", player).json()["pending"] == []


@pytest.mark.thorough
def test_a_break_needs_confirmation_and_can_only_grow(tab, site, player):
    def exclusion():
        return site.get("/limits", player).json()["exclusion"]

    open_page(tab, site, player, "/limits")
    tab.select_option("#break-duration", "7d")
    tab.get_by_role("button", name="Take a break").click()
    expect(tab.get_by_role("dialog", name="Take a break for 7 days?")).to_be_visible()
    tab.keyboard.press("Enter")
    expect(tab.locator("#break")).to_have_count(0)
    assert exclusion() is None

    tab.get_by_role("button", name="Take a break").click()
    tab.get_by_role("button", name="Take the break").click()

    expect(tab.locator("#break-now")).to_contain_text("You are taking a break until")
    before = exclusion()
    assert before["until"]
    expect(tab.locator("#break-duration [value='24h']")).to_be_disabled()
    expect(tab.locator("#break-duration [value='30d']")).to_be_enabled()
    tab.locator("#withdraw-all").get_by_role("button", name="Cancel").click()
    tab.select_option("#break-duration", "permanent")
    tab.get_by_role("button", name="Take a break").click()
    tab.get_by_role("button", name="Exclude me permanently").click()
    expect(tab.get_by_role("dialog", name="Exclude yourself permanently?")).to_be_visible()
    assert exclusion() == before, "it needs a second step"
    tab.get_by_label("I understand").check()
    tab.get_by_role("button", name="Exclude me permanently").click()

    tab.locator("#withdraw-all").get_by_role("button", name="Cancel").click()
    expect(tab.locator("#break-now")).to_have_text("You have excluded yourself permanently.")
    expect(tab.locator("#break-form")).to_be_hidden()
    assert exclusion() == {"until": None}
