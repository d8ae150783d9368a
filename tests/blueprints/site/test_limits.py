"""Limits, breaks and the net position on the built-in page."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import serve_site

pytestmark = pytest.mark.browser

HOUR_MS = 3_600_000


def set_limit(tab, name, coins):
    """Sets a limit in the dialog that its button opens."""
    tab.get_by_role("button", name=name).click()
    tab.get_by_label("Limit in coins").fill(coins)
    tab.keyboard.press("Enter")


def line(tab, kind, period):
    return tab.locator(f"#{kind}-limits li", has_text=period)


@pytest.fixture
def account(tab, sign_in, open_account, player):
    """The tab of a player who has chosen an item, and looks at the account."""
    return open_account(sign_in(tab, player))


def test_a_first_limit_counts_at_once_and_refuses_a_bet_above_it(account, spin):
    spin(account)
    expect(line(account, "wager", "Monthly")).to_contain_text("1.00 coins wagered so far")

    set_limit(account, "Set monthly wager limit", "1.5")

    expect(account.locator("#limits-said")).to_have_text("Your monthly wager limit is now 1.50 coins.")
    expect(line(account, "wager", "Monthly")).to_contain_text("Monthly: 1.50 coins")
    account.locator("#spin:enabled").click()
    expect(account.locator("#outcome")).to_contain_text("This bet would exceed your monthly wager limit.")


def test_lowering_a_limit_asks_for_nothing_and_raising_it_for_a_code_and_time(
    site, account, two_factor, player
):
    (code, *_) = two_factor(player)
    set_limit(account, "Set daily loss limit", "20")
    expect(account.locator("#limits-said")).to_have_text("Your daily loss limit is now 20.00 coins.")
    set_limit(account, "Change daily loss limit", "10")
    expect(account.locator("#limits-said")).to_have_text("Your daily loss limit is now 10.00 coins.")

    account.get_by_role("button", name="Change daily loss limit").click()
    account.get_by_role("button", name="Remove the limit").click()
    account.get_by_label("Code", exact=True).fill(code)
    account.keyboard.press("Enter")

    expect(account.locator("#limits-said")).to_contain_text("Your daily loss limit stays 10.00 coins.")
    expect(line(account, "loss", "Daily")).to_contain_text(
        "You asked for no limit. You can confirm this from"
    )
    expect(account.get_by_role("button", name="Confirm")).to_have_count(0)
    account.get_by_role("button", name="Keep 10.00 coins as daily loss limit").click()
    expect(account.locator("#limits-said")).to_have_text("Your daily loss limit is now 10.00 coins.")
    assert site.get("/limits", player).json()["pending"] == []


def test_a_limit_that_is_no_amount_is_explained(account):
    set_limit(account, "Set weekly wager limit", "1e3")

    expect(account.locator("#limit-problem")).to_have_text(
        "The limit must be an amount with at most two decimals."
    )
    account.keyboard.press("Escape")
    expect(line(account, "wager", "Weekly")).to_contain_text("Weekly: no limit")


@pytest.fixture
def clock(tmp_path):
    """The file with the hours by which the clock of ``later_site`` is ahead."""
    file = tmp_path / "clock"
    file.write_text("0")
    return file


@pytest.fixture
def later_site(tmp_path, sqlite_files, clock):
    with (
        sqlite_files.fresh(tmp_path) as database_url,
        serve_site(
            tmp_path,
            database_url,
            target="bench.harness.faults.settable_clock_app:app",
            CLOCK_FILE=str(clock),
        ) as site,
    ):
        yield site


def test_a_higher_limit_is_confirmed_after_a_day(later_site, tab, open_account, clock):
    player = later_site.new_player()
    for value in (10, 50):
        limit = {"kind": "wager", "period": "week", "value": value}
        pending = later_site.send("PUT", "/limits", limit, player)
    clock.write_text("25")
    tab.clock.set_fixed_time(pending["confirmableAt"] + HOUR_MS)
    tab.goto(f"{later_site.url}/?token={player['token']}")
    open_account(tab)

    tab.get_by_role("button", name="Confirm 50.00 coins as weekly wager limit").click()

    expect(tab.locator("#limits-said")).to_have_text("Your weekly wager limit is now 50.00 coins.")
    expect(line(tab, "wager", "Weekly")).to_contain_text("Weekly: 50.00 coins")
    assert later_site.get("/limits", player).json()["wager"]["week"] == 50


def test_the_net_position_is_what_the_bets_cost_and_paid(account, site, player, spin):
    spin(account)
    spin(account)

    total = site.get("/limits/summary", player).json()["total"]
    assert total["wagered"] == 2
    sign = "+" if total["net"] > 0 else "\N{MINUS SIGN}"
    amounts = [f"{total['paid']:,.2f} coins", f"{sign}{abs(total['net']):,.2f} coins"]
    cells = account.locator("#net-position tr", has_text="In all").locator("td")
    expect(cells).to_have_text(["2.00 coins", *amounts])


def test_a_break_begins_after_a_question_and_can_only_be_made_longer(site, account, player):
    account.select_option("#break-duration", "7d")
    account.get_by_role("button", name="Take a break").click()
    expect(account.get_by_role("dialog", name="Take a break for 7 days?")).to_be_visible()
    account.keyboard.press("Enter")
    expect(account.locator("#break")).to_be_hidden()
    assert site.get("/limits", player).json()["exclusion"] is None

    account.get_by_role("button", name="Take a break").click()
    account.get_by_role("button", name="Take the break").click()

    expect(account.locator("#break-now")).to_contain_text("You are taking a break until")
    assert site.get("/limits", player).json()["exclusion"]["until"]
    expect(account.locator("#break-duration [value='24h']")).to_be_disabled()
    expect(account.locator("#break-duration [value='30d']")).to_be_enabled()
    account.locator("#spin:enabled").click()
    expect(account.locator("#outcome")).to_contain_text("You are taking a break until")


def test_a_permanent_exclusion_needs_a_second_step(site, account, player):
    account.select_option("#break-duration", "permanent")
    account.get_by_role("button", name="Take a break").click()
    account.get_by_role("button", name="Exclude me permanently").click()
    expect(account.get_by_role("dialog", name="Exclude yourself permanently?")).to_be_visible()
    assert site.get("/limits", player).json()["exclusion"] is None

    account.get_by_label("I understand").check()
    account.get_by_role("button", name="Exclude me permanently").click()

    expect(account.locator("#break-now")).to_have_text("You have excluded yourself permanently.")
    expect(account.locator("#break-form")).to_be_hidden()
    assert site.get("/limits", player).json()["exclusion"] == {"until": None}
