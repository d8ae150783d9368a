"""A suspicious withdrawal, from the request to the rejection."""

import pytest
from playwright.sync_api import expect

from tests.support.chromium import violations

pytestmark = pytest.mark.browser

ADDRESS = "bc1q-address-of-somebody-else"


def test_a_suspicious_withdrawal_is_looked_at_and_rejected(site, player, new_person):
    body = {"method": "demo", "amount": 90, "to": ADDRESS}
    asked = site.post("/payments/withdrawals", body, player)["withdrawal"]
    person = new_person("payments")

    tab = person.open("Withdrawals")
    row = tab.get_by_role("row").filter(has=tab.get_by_role("link", name=player["username"], exact=True))
    expect(row).to_contain_text("90.00")
    expect(row).not_to_contain_text(ADDRESS)
    # Nothing was deposited or wagered.
    expect(row).to_contain_text("0.00 (0)")
    assert violations(tab) == {}
    row.get_by_role("link", name=asked["id"][:8]).click()
    tab.get_by_role("link", name="Show the address").click()
    expect(tab.get_by_text(ADDRESS)).to_be_visible()
    tab.get_by_role("link", name="Logins").click()
    expect(tab.get_by_role("heading", name="Logins")).to_be_visible()
    tab.go_back()
    assert violations(tab) == {}
    tab.get_by_text("Reject", exact=True).first.click()
    reject = tab.locator("form[action$='/reject']")
    reject.get_by_label("Reason").fill("no deposit, and no bet")
    reject.get_by_role("button", name="Reject").click()

    expect(tab.get_by_role("status")).to_contain_text("was rejected")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("rejected")
    assert site.get("/auth/me", player).json()["balance"] == 100
    person.open("Withdrawals")
    expect(tab.get_by_role("link", name=player["username"], exact=True)).to_have_count(0)
