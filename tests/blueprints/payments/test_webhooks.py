"""POST /webhooks/btcpay: a hint to look up the provider's state, stored before anything else happens."""

import json

import pytest

from models.db.connection import reading
from models.payments import WebhookDelivery
from server import logs
from tests.harness.btcpay.faults import Fault
from tests.harness.btcpay.webhooks import Delivery, signature
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once

GOOD = (200, {"success": True})
UNAUTHORIZED = (401, {"error": "Unauthorized"})
TOO_MANY = (429, {"error": "Too many requests"})
PATH = "/webhooks/btcpay"
LIMIT = 64 * 1024


@pytest.fixture
def post(client, fake):
    """Sends a body, signed unless the test gives a header; status and body of the answer."""

    def send(body, *, header=True, **options):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        header = signature(fake.webhook_secret, body) if header is True else header
        headers = {} if header is None else {"BTCPAY-SIG": header}
        answer = client.post(PATH, data=body, headers=headers, content_type="application/json", **options)
        return answer.status_code, answer.json

    return send


@pytest.fixture
def stored(app):
    """Id, time of processing and error of each stored message."""
    columns = (WebhookDelivery.delivery_id, WebhookDelivery.processed_at_ms, WebhookDelivery.error)
    query = WebhookDelivery.select(*columns).order_by(WebhookDelivery.id)
    return reading()(lambda: list(query.tuples()))


@pytest.fixture
def bodies(app):
    """What is stored of each message."""
    query = WebhookDelivery.select(WebhookDelivery.body).order_by(WebhookDelivery.id)
    return reading()(lambda: [row.body for row in query])


def event(delivery_id="d1", **fields):
    return {"deliveryId": delivery_id, "type": "InvoiceSettled", **fields}


def test_a_stored_message_has_no_id_of_a_pull_payment(post, fake, bodies):
    own = fake.pull_payment.id
    post(event("d1", pullPaymentId=own, payoutId="p1"))
    post(event("d2", metadata={"pullPaymentId": 'another " one'}, link=f"https://pay/pull-payments/{own}"))
    post(b'not JSON {"pullPaymentId" : "a third"}')

    stored = bodies()

    assert [text for text in (own, "another", "third") if text in "".join(stored)] == []
    assert json.loads(stored[0])["payoutId"] == "p1"


def test_a_message_lets_the_deposit_be_looked_up_at_once(
    post, deposit, invoice_of, fake, status_of, poll_now
):
    made = deposit()
    fake.pay(invoice_of(made))
    poll_now()
    assert status_of(made) == "pending"

    post(event(invoiceId=invoice_of(made)))
    poll_now()

    assert status_of(made) == "credited"


def test_a_message_alone_decides_nothing(post, deposit, invoice_of, status_of, balance, poll_now):
    made = deposit()
    invoice = invoice_of(made)
    for number, kind in enumerate(("InvoiceSettled", "InvoiceExpired", "InvoiceInvalid")):
        post(event(f"d{number}", type=kind, invoiceId=invoice, metadata={"orderId": made["id"]}))
        poll_now()

    assert (status_of(made), balance()) == ("pending", 100)


def test_a_message_may_come_before_the_answer_to_the_request(post, deposit, fake, status_of, clock, poll_now):
    fake.faults.next("create invoice", Fault.LOST_ANSWER)
    made = deposit()
    (invoice,) = fake.invoices_of(made["id"])
    fake.pay(invoice.id)

    post(event(invoiceId=invoice.id, metadata=invoice.metadata))
    poll_now()

    assert status_of(made) == "credited"


def test_a_message_about_a_payout_lets_it_be_looked_up(
    post, withdraw, send_payouts, payout_of, fake, services, status_of, clock, poll_now
):
    made = withdraw()
    send_payouts()
    fake.complete(payout_of(made))

    post(event(type="PayoutUpdated", payoutId=payout_of(made).id))
    poll_now()
    services.payout_sender.run(now=clock())

    assert status_of(made) == "completed"


@pytest.mark.security("Webhooks")
def test_a_bad_signature_is_refused_and_writes_nothing(post, stored, fake, log_lines, queries):
    body = json.dumps(event()).encode()
    good = signature(fake.webhook_secret, body)
    bad = [
        None,
        "",
        "sha256=",
        good.removeprefix("sha256="),
        good.replace("sha256", "sha1"),
        good[:-1],
        f"{good}0",
        good.upper(),
        signature("another secret", body),
        signature(fake.webhook_secret, body + b" "),
        "sha256=ümläut",
    ]
    logs._repeated_lines._counts.clear()
    queries.clear()

    assert [post(body, header=header) for header in bad] == [UNAUTHORIZED] * len(bad)

    assert queries == []
    assert stored() == []
    lines = [line for line in log_lines() if line["message"] == "webhook with a bad signature"]
    assert len(lines) == 1


@pytest.mark.settings(PAYMENT_METHODS="demo")
def test_messages_of_a_provider_not_set_up_are_refused(post, stored):
    assert post(event()) == UNAUTHORIZED
    assert stored() == []


@pytest.mark.settings(RATELIMIT_ENABLED="1")
def test_only_bad_signatures_are_rate_limited(post):
    elsewhere = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    assert [post(event(), header="sha256=00") for _ in range(60)] == [UNAUTHORIZED] * 60

    assert post(event(), header="sha256=00") == TOO_MANY
    assert post(event(), header="sha256=00", **elsewhere) == UNAUTHORIZED
    assert [post(event(f"d{number}")) for number in range(100)] == [GOOD] * 100


def test_a_message_has_at_most_64_kib(post, stored):
    def padded(size):
        body = json.dumps(event()).encode()
        return body + b" " * (size - len(body))

    assert post(padded(LIMIT + 1))[0] == 413
    assert post(padded(LIMIT + 1), header="sha256=00")[0] == 413
    assert stored() == []
    assert post(padded(LIMIT)) == GOOD


@pytest.mark.both_databases("a race")
def test_a_repeated_message_is_stored_once(post, stored, poll_now):
    assert [post(event()) for _ in range(3)] == [GOOD] * 3
    poll_now()
    assert all_at_once([lambda: post(event())] * 4) == [GOOD] * 4

    assert len(stored()) == 1


NOTHING_KNOWN = "no deposit or withdrawal belongs to it"
NOT_A_MESSAGE = "not a message of a provider that is set up"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (event(invoiceId="unknown", metadata={"orderId": "unknown"}), NOTHING_KNOWN),
        (event(payoutId="unknown"), NOTHING_KNOWN),
        (event(), NOTHING_KNOWN),
        (event(invoiceId=None, metadata=None), NOTHING_KNOWN),
        (event(invoiceId=5), NOT_A_MESSAGE),
        (event(metadata=[]), NOTHING_KNOWN),
        (event(metadata=5), NOTHING_KNOWN),
        (event(""), NOT_A_MESSAGE),
        ({"type": "InvoiceSettled"}, NOT_A_MESSAGE),
        ([], NOT_A_MESSAGE),
        (b"", NOT_A_MESSAGE),
        (b"{", NOT_A_MESSAGE),
        (b'{"deliveryId": "\xff\x00"}', NOT_A_MESSAGE),
    ],
)
def test_a_message_about_nothing_known_is_kept_for_staff(body, error, post, stored, deposit, fake, poll_now):
    # One that waits for its invoice.
    fake.faults.next("create invoice", Fault.NO_ANSWER)
    deposit()

    assert post(body) == GOOD
    poll_now()

    assert [row[2] for row in stored()] == [error]


def test_messages_work_in_any_order_and_number(
    deposit, withdraw, fake, server, status_of, invoice_of, payout_of, balance, run
):
    fake.webhooks.late_seconds = 0.2
    fake.send_webhooks_to(f"{server}{PATH}")
    fake.webhooks.next(*[Delivery.REORDERED, Delivery.LATE, Delivery.REPEATED] * 4)
    deposits = [deposit(10) for _ in range(3)]
    withdrawal = withdraw(10)
    for made in deposits:
        fake.pay(invoice_of(made), parts=2)
    fake.wait_until_idle()

    wait_until(lambda: [status_of(made) for made in deposits] == ["credited"] * 3)
    wait_until(lambda: status_of(withdrawal) == "sent")
    fake.complete(payout_of(withdrawal))
    wait_until(lambda: status_of(withdrawal) == "completed")

    assert balance() == 120
    assert {status for sent in fake.webhooks.sent for status in sent.statuses} == {200}
