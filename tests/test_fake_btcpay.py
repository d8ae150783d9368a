"""The fake BTCPay Server keeps to BTCPay's documents and never pays by itself."""

import pytest
import requests

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.people import NotPossible

ADDRESS = FakeBtcPay.address("alice")


@pytest.fixture
def fake():
    with FakeBtcPay() as fake:
        fake.faults.timing.late_work = 0.1
        fake.faults.timing.refused = 0.2
        yield fake


class Client:
    def __init__(self, fake):
        self.fake = fake
        self.store = f"/api/v1/stores/{fake.state.store_id}"

    def ask(self, method, path, *, body=None, **query):
        headers = {"Authorization": f"token {self.fake.api_key}"}
        url = f"{self.fake.url}{path}"
        return requests.request(method, url, json=body, params=query, headers=headers, timeout=5)

    def invoice(self, amount="10.00", **checkout):
        body = {"amount": amount, "currency": "USD", "metadata": {"orderId": "ours"}, "checkout": checkout}
        return self.ask("POST", f"{self.store}/invoices", body=body).json()["id"]

    def payout(self, amount="60.00", *, to=ADDRESS, **more):
        body = {
            "destination": to,
            "amount": amount,
            "payoutMethodId": "BTC-CHAIN",
            "pullPaymentId": self.fake.pull_payment.id,
            "approved": False,
            "metadata": {"withdrawal": "w1"},
        }
        body = {name: value for name, value in (body | more).items() if value is not None}
        return self.ask("POST", f"{self.store}/payouts", body=body)

    def approve(self, payout_id, revision=0):
        return self.ask("POST", f"/api/v1/payouts/{payout_id}", body={"revision": revision})


@pytest.fixture
def client(fake):
    return Client(fake)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/v1/nothing", None),
        ("GET", "/api/v1/invoices/x?expand=1", None),
        ("POST", "{store}/payouts", {"destination": ADDRESS, "amount": "1", "approvd": False}),
        ("POST", "{store}/invoices", {"amount": 10}),
    ],
)
def test_a_request_outside_of_the_documents_is_refused(fake, client, method, path, body):
    answer = client.ask(method, path.format(store=client.store), body=body)

    assert answer.status_code in (404, 422)
    assert len(fake.violations) == 1


def test_a_payout_is_paid_only_after_its_approval_and_only_once(fake, client):
    payout = client.payout().json()["id"]
    assert client.payout(to=ADDRESS).json()["code"] == "duplicate-destination"
    assert client.approve(payout, 1).json()["code"] == "old-revision"
    with pytest.raises(NotPossible):
        fake.complete(payout)

    assert client.approve(payout).status_code == 200
    assert client.approve(payout).json()["code"] == "invalid-state"
    fake.start_payment(payout)
    assert client.ask("DELETE", f"/api/v1/payouts/{payout}").json()["code"] == "invalid-state"
    fake.complete(payout)

    with pytest.raises(NotPossible):
        fake.complete(payout)
    assert [each.usd for each in fake.ledger.paid_for("w1")] == [60]
    assert client.ask("GET", f"/api/v1/payouts/{payout}").json()["paymentProof"]["id"]
    assert fake.violations == []
