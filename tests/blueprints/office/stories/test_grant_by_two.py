"""A grant that one person proposes and another one approves, mostly by the keyboard."""

import pytest
from playwright.sync_api import expect

from tests.support.chromium import violations

pytestmark = pytest.mark.browser


def test_a_grant_is_proposed_by_one_person_and_executed_by_another(site, player, new_person):
    support, payments = new_person("support"), new_person("payments")

    tab = support.tab
    tab.keyboard.press("/")
    expect(tab.get_by_role("searchbox")).to_be_focused()
    tab.keyboard.type(player["platformid"])
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name=player["username"], exact=True).click()
    assert violations(tab) == {}
    summary = tab.get_by_text("Grant coins or correct the balance")
    summary.focus()
    tab.keyboard.press("Enter")
    form = tab.locator("form[action$='/balance']")
    form.get_by_label("Amount").fill("250")
    form.get_by_label("Reason").fill("lost bets in the outage")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("status")).to_contain_text("A second person must approve it")
    assert site.get("/auth/me", player).json()["balance"] == 100

    tab = payments.open("Proposals")
    assert violations(tab) == {}
    row = tab.get_by_role("row").filter(has_text=player["platformid"])
    expect(row).to_contain_text("lost bets in the outage")
    row.get_by_role("link").click()
    expect(tab.get_by_role("main")).to_contain_text(support.name)
    assert violations(tab) == {}
    tab.get_by_role("button", name="Approve, and do it now").click()

    expect(tab.get_by_role("status")).to_contain_text("The balance was changed by +$250.00")
    assert site.get("/auth/me", player).json()["balance"] == 350
    tab.get_by_role("link", name=player["username"], exact=True).click()
    tab.get_by_role("link", name="Ledger").click()
    expect(tab.get_by_role("row").filter(has_text="adjustment")).to_contain_text("250.00")
