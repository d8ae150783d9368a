"""A large withdrawal that two people approve, up to the payout of the payment provider."""

import pytest
from playwright.sync_api import expect

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_a_large_withdrawal_is_approved_by_two_people_and_sent(site, new_person, btcpay):
    (player,) = site.run("users", "create", "withdraws-much", "--balance=2000")
    body = {"method": "BTC-CHAIN", "amount": 1500, "to": FakeBtcPay.address("much")}
    asked = site.post("/payments/withdrawals", body, player)["withdrawal"]

    def status():
        return site.get(f"/payments/withdrawals/{asked['id']}", player).json()["withdrawal"]["status"]

    person, second = new_person("payments"), new_person("payments")
    tab = person.open("Withdrawals")
    tab.get_by_role("link", name=asked["id"][:8]).click()
    form = person.unfold("approve")
    expect(form).to_contain_text("a second person must approve it")
    expect(person.send(form, reason="a good customer")).to_contain_text("A second person must approve it")
    assert (status(), btcpay.payouts_of(asked["id"])) == ("requested", [])
    expect(second.approve(asked["id"])).to_be_visible()

    wait_until(lambda: status() == "sent")
    (payout,) = btcpay.payouts_of(asked["id"])
    btcpay.complete(payout)
    wait_until(lambda: status() == "completed")
    tab.reload()
    expect(tab.get_by_role("heading", level=1)).to_contain_text("completed")
