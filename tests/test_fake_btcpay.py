"""The fake BTCPay Server keeps to BTCPay's documents and never pays by itself."""

import hashlib
import hmac
from decimal import Decimal

import pytest
import requests

from bench.harness.btcpay.fake import FakeBtcPay
from bench.harness.btcpay.faults import Fault
from bench.harness.btcpay.people import NotPossible
from bench.harness.btcpay.webhooks import Delivery
from bench.harness.servers import serving

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


def test_a_wrong_key_is_refused(fake, client):
    fake.api_key = "another"
    assert client.ask("GET", client.store).status_code == 401


def test_an_invoice_follows_its_payments(fake, client):
    exact, over, under, late = (client.invoice(paymentTolerance=0) for _ in range(4))

    fake.pay(exact, parts=2)
    fake.pay(over, Decimal("12.34"))
    fake.pay(under, Decimal("9.99"))
    fake.expire(under)
    fake.pay_late(late)

    answers = [client.ask("GET", f"/api/v1/invoices/{key}").json() for key in (exact, over, under, late)]
    found = [(each["status"], each["additionalStatus"], each["paidAmount"]) for each in answers]
    assert found == [
        ("Settled", "None", "10.00"),
        ("Settled", "PaidOver", "12.34"),
        ("Expired", "PaidPartial", "9.99"),
        ("Expired", "PaidLate", "10.00"),
    ]
    methods = client.ask("GET", f"/api/v1/invoices/{exact}/payment-methods").json()
    assert [each["status"] for each in methods[0]["payments"]] == ["Settled", "Settled"]
    assert len(client.ask("GET", f"{client.store}/invoices", orderId="ours").json()) == 4
    assert fake.ledger.received_usd(over).quantize(Decimal("0.01")) == Decimal("12.34")
    assert fake.violations == []


def test_the_tolerance_of_the_store_settles_what_is_underpaid(fake, client):
    invoice = client.invoice()

    fake.pay(invoice, Decimal("9.50"))

    assert fake.invoice(invoice).status == "Settled"


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


def test_payouts_have_the_traps_of_a_real_server(fake, client):
    in_btc = client.payout("0.01", pullPaymentId=None).json()
    fake.cancel(in_btc["id"])
    assert in_btc["originalCurrency"] == "BTC"
    assert client.ask("GET", f"{client.store}/payouts").json() == []
    assert len(client.ask("GET", f"{client.store}/payouts", includeCancelled="true").json()) == 1
    assert client.payout("0.01").json()["code"] == "amount-too-low"
    assert client.payout("9999999").json()["code"] == "overdraft"
    assert client.payout(to="nonsense").status_code == 422
    fake.set_rate_available(False)
    assert client.approve(client.payout().json()["id"]).json()["code"] == "rate-unavailable"
    fake.archive_pull_payment()
    assert client.payout(to=fake.address("bob")).json()["code"] == "archived"
    assert client.payout(approved=True).status_code == 403


@pytest.mark.parametrize(
    ("fault", "done"),
    [
        (Fault.NO_ANSWER, 0),
        (Fault.LOST_ANSWER, 1),
        (Fault.LATE_WORK, 1),
        (Fault.ERROR_BEFORE, 0),
        (Fault.ERROR_AFTER, 1),
        (Fault.UNAVAILABLE, 0),
        (Fault.REFUSED_CONNECTIONS, 0),
    ],
)
def test_a_fault_says_nothing_about_the_work(fake, client, fault, done):
    fake.faults.next("create payout", fault)

    try:
        assert client.payout().status_code >= 500
    except requests.ConnectionError:
        assert fault in (Fault.NO_ANSWER, Fault.LOST_ANSWER, Fault.LATE_WORK, Fault.REFUSED_CONNECTIONS)

    fake.wait_until_idle()
    assert len(fake.payouts_of("w1")) == done
    assert fake.faults.counts() == {fault: 1}


def test_an_answer_that_is_out_of_date_has_an_earlier_state(fake, client):
    invoice = client.invoice()
    fake.pay(invoice)
    fake.faults.next("get invoice", Fault.STALE)

    states = [client.ask("GET", f"/api/v1/invoices/{invoice}").json()["status"] for _ in range(2)]

    assert states[0] != states[1] == "Settled"


def test_a_denied_payout_is_missing_for_a_while(fake, client):
    payout = client.payout().json()["id"]
    statuses = []
    for seconds in (60, 0):
        fake.deny(payout, seconds=seconds)
        statuses.append(client.ask("GET", f"/api/v1/payouts/{payout}").status_code)

    assert statuses == [404, 200]


def test_a_webhook_may_name_another_state_than_its_payout_has(fake, client):
    fake.send_webhooks_to("http://127.0.0.1:1")
    fake.webhooks.next(Delivery.UNTRUE)
    client.payout()

    (sent,) = fake.webhooks.sent
    assert sent.event["type"] == "PayoutCreated"
    assert sent.event["payoutState"] != "AwaitingApproval"


def test_webhooks_are_signed_and_may_be_lost_or_repeated(fake, client):
    signatures = []

    def receive(environ, start_response):
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        expected = hmac.new(fake.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
        signatures.append(environ["HTTP_BTCPAY_SIG"] == f"sha256={expected}")
        start_response("200 OK", [])
        return []

    with serving(receive) as url:
        fake.send_webhooks_to(url)
        fake.webhooks.next(Delivery.LOST, Delivery.REPEATED)
        fake.pay(client.invoice())
        fake.wait_until_idle()

    assert [(sent.event["type"], sent.statuses) for sent in fake.webhooks.sent] == [
        ("InvoiceReceivedPayment", [200, 200]),
        ("InvoiceProcessing", [200]),
        ("InvoicePaymentSettled", [200]),
        ("InvoiceSettled", [200]),
    ]
    assert signatures == [True] * 5
