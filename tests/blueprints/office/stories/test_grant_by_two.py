"""A grant that one person proposes and another one approves."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_grant_is_proposed_by_one_person_and_executed_by_another(site, player, new_person):
    support, payments = new_person("support"), new_person("payments")

    support.find(player)
    form = support.unfold("balance")
    form.get_by_label("Amount").fill("250")
    said = support.send(form, reason="lost bets in the outage")
    expect(said).to_contain_text("A second person must approve it")
    assert site.get("/auth/me", player).json()["balance"] == 100

    said = payments.approve(player["platformid"])

    expect(said).to_contain_text("The balance was changed by +$250.00")
    assert site.get("/auth/me", player).json()["balance"] == 350
    tab = payments.tab
    tab.get_by_role("link", name=player["username"], exact=True).click()
    tab.get_by_role("link", name="Ledger").click()
    expect(tab.get_by_role("row").filter(has_text="adjustment")).to_contain_text("250.00")
