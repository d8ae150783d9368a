"""Keys, secrets and addresses are in no log, no error, no metric and no audit event."""

import json
from datetime import UTC, datetime

import pytest
import requests
from standardwebhooks import Webhook

from models.db.connection import reading
from models.payments import Deposit
from tests.blueprints.payments.conftest import APPROVE_PAYOUT, CREATE_PAYOUT, SECRET
from tests.harness.btcpay.faults import Fault
from tests.harness.btcpay.webhooks import signature

CHECK_KEY = "key-of-the-operators-check"
NONSENSE = "an-address-that-nobody-knows"
KEY = "an-idempotency-key"

pytestmark = pytest.mark.settings(
    PAYMENTS_WEBHOOK_SECRET=SECRET,
    WITHDRAWAL_CHECK_URL=f"http://127.0.0.1:1/check?key={CHECK_KEY}",
)


@pytest.fixture
def answers(client, player):
    """Sends requests, of which all but a few fail; the texts of the answers to those."""

    def send(*requests):
        texts = []
        for path, body, headers in requests:
            answer = client.post(path, data=body, headers=headers, content_type="application/json")
            if answer.status_code not in (200, 201):
                texts.append(answer.text)
        return "\n".join(texts)

    return send


@pytest.fixture
def troubles(deposit, withdraw, fake, invoice_of, payout_of, poll, send_payouts, run, app):
    """Everything that can go wrong, with all outcomes; what commands printed on standard error."""
    fake.faults.next("create invoice", Fault.LOST_ANSWER, Fault.ERROR_AFTER)
    made = [deposit(5, key=KEY), deposit(6), deposit(7)]
    fake.stranger_invoice(made[0]["id"])
    poll()
    fake.pay(invoice_of(made[1]))
    fake.pay(invoice_of(made[2]), 1)
    fake.expire(invoice_of(made[2]))
    poll()
    run("payments", "credit", made[2]["id"], "1", "--reason", "as it came")
    withdrawals = [withdraw(5), withdraw(6, to=NONSENSE), withdraw(7, to=fake.address("bob")), withdraw(8)]
    for made in withdrawals[:3]:
        run("payments", "approve", made["id"], "--reason", "known")
    run("payments", "reject", withdrawals[3]["id"], "--reason", "unknown")
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER, Fault.ERROR_AFTER)
    fake.faults.next(APPROVE_PAYOUT, Fault.ERROR_BEFORE, Fault.NO_ANSWER)
    send_payouts(6)
    fake.complete(payout_of(withdrawals[0]))
    fake.cancel(payout_of(withdrawals[2]))
    send_payouts(2)
    fake.set_rate_available(False)
    withdraw(9, to=fake.address("carol"))
    with fake.away():
        reconcile_away = app.test_cli_runner().invoke(args=["payments", "reconcile"]).stderr
        poll()
    fake.api.api_key = "another"
    return reconcile_away + app.test_cli_runner().invoke(args=["check"]).stderr


@pytest.fixture
def secrets(fake):
    """All that must be nowhere, by name."""
    with reading():
        of_invoices = {f"invoice {row.id}": row.secret for row in Deposit.select()}
    settings = fake.settings()
    return {
        "API key": settings["BTCPAY_API_KEY"],
        "webhook secret": fake.webhook_secret,
        "signing secret": SECRET.removeprefix("whsec_"),
        "key of the check": CHECK_KEY,
        "nonsense": NONSENSE,
        **{f"address of {name}": fake.address(name) for name in ("alice", "bob", "carol")},
        **of_invoices,
    }


MARKS = (
    "deposit not answered",
    "deposit not asked about",
    "withdrawal not sent",
    "webhook: User not found",
)


def found(text, secrets):
    return [name for name, secret in secrets.items() if secret in text]


def test_no_text_has_a_secret_or_an_address(
    log_text, troubles, secrets, fake, answers, run, server, app, reconcile
):
    hint = json.dumps({"deliveryId": "1", "to": NONSENSE})
    good = {"BTCPAY-SIG": signature(fake.webhook_secret, hint.encode())}
    bad = {"BTCPAY-SIG": signature(fake.webhook_secret, b"another")}
    at, data = datetime.now(UTC), {"platformid": "1", "usd": 5, "to": NONSENSE}
    payment = json.dumps({"type": "withdrawal.completed", "data": data})
    signed = {"webhook-id": "1", "webhook-timestamp": str(int(at.timestamp()))}
    signed["webhook-signature"] = Webhook(SECRET).sign("1", at, payment)
    signatures = {"good": good["BTCPAY-SIG"], "bad": bad["BTCPAY-SIG"], "mine": signed["webhook-signature"]}

    texts = {
        "answers": answers(
            ("/webhooks/btcpay", hint, good),
            ("/webhooks/btcpay", hint, bad),
            ("/webhooks/payments", payment, signed),
            ("/webhooks/payments", payment, good),
        ),
        "events": json.dumps(run("audit", "export")),
        "metrics": requests.get(f"{server}/metrics", timeout=10).text,
        "reasons": " ".join(each["reason"] for each in run("payments", "list")),
        "commands": troubles,
    }
    fake.api.api_key = fake.settings()["BTCPAY_API_KEY"]
    fake.set_rate_available(True)
    texts["findings"] = app.test_cli_runner().invoke(args=["payments", "reconcile"]).stdout
    texts["log"] = log_text()

    leaks = {name: found(text, secrets | signatures) for name, text in texts.items()}
    assert [name for name, leaked in leaks.items() if leaked] == []
    assert [mark for mark in MARKS if mark not in texts["log"]] == []
    assert "withdrawal.rejected" in texts["events"]
    assert "payments_open" in texts["metrics"]
    assert "foreign-invoice" in texts["findings"]
    assert "the provider refused: destination" in texts["reasons"]
