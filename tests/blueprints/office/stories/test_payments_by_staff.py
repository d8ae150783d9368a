"""Payments that staff must decide about: a large withdrawal, and a deposit of which a part was paid."""

import pytest
from playwright.sync_api import expect

from bench.harness.btcpay.fake import FakeBtcPay
from bench.harness.waiting import wait_until
from tests.blueprints.office.stories.conftest import events_of
from tests.support.chromium import violations

pytestmark = pytest.mark.browser


def shown(site, made, player, kind):
    return site.get(f"/payments/{kind}s/{made['id']}", player).json()[kind]


def test_a_large_withdrawal_is_approved_by_two_people_and_sent(site, new_person, btcpay):
    (player,) = site.run("users", "create", "withdraws-much", "--balance=2000")
    body = {"method": "BTC-CHAIN", "amount": 1500, "to": FakeBtcPay.address("much")}
    asked = site.post("/payments/withdrawals", body, player)["withdrawal"]
    person, second = new_person("payments"), new_person("payments")

    tab = person.open("Withdrawals")
    tab.get_by_role("link", name=asked["id"][:8]).click()
    form = person.unfold("approve")
    expect(form).to_contain_text("a second person must approve it")
    expect(person.send(form, reason="a good customer")).to_contain_text("A second person must approve it")
    assert violations(tab) == {}
    assert shown(site, asked, player, "withdrawal")["status"] == "requested"
    assert btcpay.payouts_of(asked["id"]) == []
    expect(second.approve(asked["id"])).to_be_visible()

    wait_until(lambda: shown(site, asked, player, "withdrawal")["status"] == "sent")
    (payout,) = btcpay.payouts_of(asked["id"])
    btcpay.complete(payout)
    wait_until(lambda: shown(site, asked, player, "withdrawal")["status"] == "completed")
    assert site.get("/auth/me", player).json()["balance"] == 500
    tab.reload()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("completed")
    assert ("withdrawal.approved", f"staff:{second.name}") in events_of(site, player)


def test_a_deposit_of_which_a_part_was_paid_is_credited_by_staff(site, player, new_person, btcpay):
    made = site.post("/payments/deposits", {"method": "btcpay", "amount": 25}, player)["deposit"]
    (invoice,) = btcpay.invoices_of(made["id"])
    btcpay.pay(invoice.id, 10)
    btcpay.expire(invoice.id)
    person = new_person("payments")
    wait_until(lambda: shown(site, made, player, "deposit")["status"] == "review")

    tab = person.open("Payments")
    row = tab.get_by_role("row").filter(has_text=made["id"][:8])
    expect(row).to_contain_text(player["username"])
    assert violations(tab) == {}
    row.get_by_role("link", name=made["id"][:8]).click()
    form = person.unfold("credit")
    form.get_by_label("Amount in USD").fill("10")
    said = person.send(form, reason="paid 10 of 25")

    expect(said).to_contain_text("credited")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("credited")
    assert site.get("/auth/me", player).json()["balance"] == 110
    assert shown(site, made, player, "deposit")["status"] == "credited"
    person.open("Payments")
    expect(tab.get_by_role("row").filter(has_text=made["id"][:8])).to_have_count(0)
