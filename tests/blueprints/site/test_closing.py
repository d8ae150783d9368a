"""Closing the account on the built-in page."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import open_page
from tests.support.chromium import violations_as_shown

pytestmark = pytest.mark.browser


def ask_to_close(tab, site, player):
    open_page(tab, site, player, "/profile")
    tab.get_by_role("button", name="Close account").press("Enter")
    return tab.locator("#closing")


def test_what_is_left_is_named_and_given_up_by_keyboard(tab, site, player):
    dialog = ask_to_close(tab, site, player)
    expect(dialog.locator("#closing-given-up li")).to_have_text(["100.00 coins on your balance"])
    expect(dialog.get_by_role("link", name="Withdraw it first")).to_have_attribute("href", "/account/cashier")
    assert violations_as_shown(tab) == {}
    dialog.get_by_role("button", name="Give it up and close").press("Enter")
    expect(dialog).to_be_visible()

    dialog.get_by_role("checkbox").press("Space")
    dialog.get_by_role("button", name="Give it up and close").press("Enter")

    expect(tab.get_by_text("Your account is closed.")).to_be_visible()
    assert site.get("/auth/me", player).status_code == 401


@pytest.mark.thorough
def test_the_account_stays_open_when_the_player_cancels(tab, site, player):
    dialog = ask_to_close(tab, site, player)

    tab.keyboard.press("Escape")

    expect(dialog).to_have_count(0)
    assert site.get("/auth/me", player).json()["balance"] == 100


@pytest.mark.thorough
def test_an_empty_account_is_closed_after_a_question(tab, site):
    player = site.new_player()
    site.run("users", "adjust", player["platformid"], "-100", "--reason", "nothing is left")
    dialog = ask_to_close(tab, site, player)
    expect(dialog.get_by_role("heading")).to_have_text("Close your account?")

    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Close my account").click()

    expect(tab.get_by_text("Your account is closed.")).to_be_visible()


@pytest.mark.thorough
def test_what_must_end_first_is_named(tab, site, player):
    site.post("/payments/withdrawals", {"method": "demo", "amount": 50, "to": "anywhere"}, player)
    dialog = ask_to_close(tab, site, player)

    expect(dialog.locator("#closing-must-end li")).to_have_text(["1 withdrawal that is not paid yet"])
    dialog.get_by_role("button", name="Understood").click()

    assert site.get("/auth/me", player).status_code == 200


@pytest.mark.thorough
def test_a_login_to_a_closed_account_says_why_it_failed(tab, site):
    tab.goto(f"{site.url}/?error=account_closed")

    expect(tab.get_by_text("You have closed this account")).to_be_visible()
