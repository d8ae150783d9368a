"""Limits, breaks and the net position on the built-in page."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, sign_in, spin

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


@pytest.fixture
def account(tab, site, player):
    """The page of a new player who has chosen an item, and looks at the limits."""
    return go(sign_in(tab, site, player), PAGE)


@pytest.mark.regulation("RTS 12A: limits at any time")
def test_a_first_limit_applies_at_once_and_refuses_bets(account):
    set_limit(account, "Set weekly wager limit", "1e3")
    expect(account.locator("#limit-problem")).to_have_text(
        "The limit must be a number with at most two decimals."
    )
    account.keyboard.press("Escape")
    expect(line(account, "wager", "Weekly")).to_contain_text("Weekly: no limit")
    spin(go(account, "Upgrader"))
    go(account, PAGE)
    expect(line(account, "wager", "Monthly")).to_contain_text("1.00 coins wagered so far")

    set_limit(account, "Set monthly wager limit", "1.5")

    expect(account.locator("#limits-said")).to_have_text("Your monthly wager limit is now 1.50 coins.")
    expect(line(account, "wager", "Monthly")).to_contain_text("Monthly: 1.50 coins")
    go(account, "Upgrader").locator("#spin").click()
    expect(account.locator("#outcome")).to_contain_text("This bet would exceed your monthly wager limit.")


@pytest.mark.regulation("RTS 12C: easy to find")
def test_a_higher_limit_is_confirmed_after_a_day(tab, site, player):
    for value in (10, 50):
        limit = {"kind": "wager", "period": "week", "value": value}
        pending = site.send("PUT", "/limits", limit, player)
    # Tests of the API show that the server accepts this a day later.
    confirmed = []
    tab.route("**/confirm", lambda route: (confirmed.append(route.request.url), route.fulfill(json={})))
    tab.clock.set_fixed_time(pending["confirmableAt"] + HOUR_MS)
    go(sign_in(tab, site, player, item=None), PAGE)

    tab.get_by_role("button", name="Confirm 50.00 coins as weekly wager limit").click()

    expect(tab.locator("#limits-said")).to_have_text("Your weekly wager limit is now 50.00 coins.")
    assert confirmed == [f"{site.url}/limits/requests/{pending['id']}/confirm"]


def test_the_net_position_is_what_the_bets_cost_and_paid(shared, site):
    spin(shared)
    go(shared, "Account")

    total = site.get("/limits/summary", shared.player).json()["total"]
    sign = "+" if total["net"] > 0 else "\N{MINUS SIGN}"
    amounts = [f"{total['wagered']:,.2f}", f"{total['paid']:,.2f}", f"{sign}{abs(total['net']):,.2f}"]
    cells = shared.locator("#net-position tr", has_text="In all").locator("td")
    expect(cells).to_have_text([f"{amount} coins" for amount in amounts])


def test_a_break_needs_confirmation_and_can_only_grow(site, account, player):
    account.select_option("#break-duration", "7d")
    account.get_by_role("button", name="Take a break").click()
    expect(account.get_by_role("dialog", name="Take a break for 7 days?")).to_be_visible()
    account.keyboard.press("Enter")
    expect(account.locator("#break")).to_have_count(0)
    assert site.get("/limits", player).json()["exclusion"] is None

    account.get_by_role("button", name="Take a break").click()
    account.get_by_role("button", name="Take the break").click()

    expect(account.locator("#break-now")).to_contain_text("You are taking a break until")
    assert site.get("/limits", player).json()["exclusion"]["until"]
    expect(account.locator("#break-duration [value='24h']")).to_be_disabled()
    expect(account.locator("#break-duration [value='30d']")).to_be_enabled()
    go(account, "Upgrader").locator("#spin").click()
    expect(account.locator("#outcome")).to_contain_text("You are taking a break until")
    go(account, PAGE)

    exclude_permanently(account, site, player)


def exclude_permanently(account, site, player):
    """A permanent exclusion needs a second step."""
    before = site.get("/limits", player).json()["exclusion"]
    account.select_option("#break-duration", "permanent")
    account.get_by_role("button", name="Take a break").click()
    account.get_by_role("button", name="Exclude me permanently").click()
    expect(account.get_by_role("dialog", name="Exclude yourself permanently?")).to_be_visible()
    assert site.get("/limits", player).json()["exclusion"] == before

    account.get_by_label("I understand").check()
    account.get_by_role("button", name="Exclude me permanently").click()

    expect(account.locator("#break-now")).to_have_text("You have excluded yourself permanently.")
    expect(account.locator("#break-form")).to_be_hidden()
    assert site.get("/limits", player).json()["exclusion"] == {"until": None}
