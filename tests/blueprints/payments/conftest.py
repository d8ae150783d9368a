"""Fixtures of deposits and withdrawals: a fake BTCPay Server, a clock that the test sets, and requests."""

import json

import pytest

from models.db.connection import writing
from models.processes import Lease
from services.maintenance import ledger_audit
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.openapi import NEW
from tests.harness.spins import Clock, at

NOW = at("2026-03-18 12:00")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ADDRESS = FakeBtcPay.address("alice")

CREATE_PAYOUT, APPROVE_PAYOUT = "create payout", "approve payout"
"""Operations of BTCPay Server, as the fake's faults name them."""

RECONCILING, SENDING, POLLING = "payments not reconciled", "withdrawals not sent", "payments not polled"
"""The background tasks, by their messages for failures."""


@pytest.fixture
def clock():
    """The clock of the app and of the fake."""
    return Clock(NOW)


@pytest.fixture
def release():
    """The release of BTCPay Server."""
    return NEW


@pytest.fixture
def fake(clock, release):
    """A BTCPay Server that notes requests which its documents do not allow."""
    with FakeBtcPay(release=release) as fake:
        fake.state.now = lambda: clock() // 1000
        yield fake
        # Whoever waited for another server at the same port may still ask for its health.
        assert [each for each in fake.violations if "/healthz" not in each] == []


@pytest.fixture
def settings(fake):
    """A provider that is asked again whenever the test lets time pass."""
    return {
        **fake.settings(),
        "PAYMENTS_POLL_SECONDS": "0.1",
        "WITHDRAWAL_AUTO_APPROVE": "100000",
        "JWT_TTL": "315360000",
    }


@pytest.fixture
def app(app):
    """An app whose background tasks, while a server runs, do not wait long between two rounds."""
    for task in app.extensions["realtime"].tasks:
        task.every_seconds = min(task.every_seconds, 0.05)
    return app


@pytest.fixture(autouse=True)
def audited(app):
    """The ledger's audit finds nothing after any test."""
    yield
    assert ledger_audit.audit().mismatches == []


@pytest.fixture
def services(app):
    return app.extensions["services"]


@pytest.fixture
def ask(send, player):
    """Sends a request as the player; status and body."""

    def send_as(method, path, body=None, *, by=player, key=None, code=None):
        given = {"Idempotency-Key": key, "X-2FA-Code": code}
        headers = {name: value for name, value in given.items() if value is not None}
        return send(by, method, path, body, headers=headers)

    return send_as


@pytest.fixture
def post_deposit(ask):
    """Asks for a deposit; status and body."""

    def post(amount=25, *, method="btcpay", **options):
        return ask("POST", "/payments/deposits", {"method": method, "amount": amount}, **options)

    return post


@pytest.fixture
def post_withdrawal(ask):
    """Requests a withdrawal; status and body."""

    def post(amount=25, *, to=ADDRESS, method="BTC-CHAIN", **options):
        return ask("POST", "/payments/withdrawals", {"method": method, "amount": amount, "to": to}, **options)

    return post


def making(kind):
    """A fixture that makes a deposit or withdrawal; what the answer shows."""

    @pytest.fixture
    def fixture(request):
        post = request.getfixturevalue(f"post_{kind}")

        def make(*arguments, **options):
            status, body = post(*arguments, **options)
            assert status == 201, body
            return body[kind]

        return make

    return fixture


deposit, withdraw = making("deposit"), making("withdrawal")


@pytest.fixture
def shown(ask):
    """A deposit or withdrawal as its player sees it now."""

    def get(made, **options):
        kind = "withdrawal" if "to" in made else "deposit"
        status, body = ask("GET", f"/payments/{kind}s/{made['id']}", **options)
        assert status == 200, body
        return body[kind]

    return get


@pytest.fixture
def status_of(shown):
    return lambda made, **options: shown(made, **options)["status"]


@pytest.fixture
def invoice_of(fake):
    """The id of the invoice of a deposit, which must be the only one."""

    def only(made):
        (invoice,) = fake.invoices_of(made["id"])
        return invoice.id

    return only


@pytest.fixture
def payout_of(fake):
    """The payout of a withdrawal, which must be the only one."""

    def only(made):
        (payout,) = fake.payouts_of(made["id"])
        return payout

    return only


@pytest.fixture
def poll(services, clock):
    """Lets all that is due be asked about deposits, and processes webhooks."""

    def run():
        clock.advance(seconds=11)
        services.payment_polling.run()

    return run


@pytest.fixture
def send_payouts(services, clock):
    """Lets the next step of each withdrawal be done."""

    def run(times=1):
        for _ in range(times):
            clock.advance(seconds=11)
            services.payout_sender.run(now=clock())

    return run


@pytest.fixture
def credited(deposit, fake, invoice_of, poll, status_of):
    """Makes a deposit that is credited."""

    def make(amount=25, usd=None, **how):
        made = deposit(amount)
        fake.pay(invoice_of(made), usd, **how)
        poll()
        assert status_of(made) == "credited"
        return made

    return make


@pytest.fixture
def in_review(deposit, fake, invoice_of, poll, status_of):
    """Makes a deposit of which only a part was paid."""

    def make(amount=25, usd=10):
        made = deposit(amount)
        fake.pay(invoice_of(made), usd)
        fake.expire(invoice_of(made))
        poll()
        assert status_of(made) == "review"
        return made

    return make


@pytest.fixture
def completed(withdraw, fake, payout_of, send_payouts, status_of):
    """Makes a withdrawal that is completed."""

    def make(amount=25, *, to=ADDRESS):
        made = withdraw(amount, to=to)
        send_payouts()
        fake.complete(payout_of(made))
        send_payouts()
        assert status_of(made) == "completed"
        return made

    return make


@pytest.fixture
def end_lease(app):
    """Lets the lease of a process end that does not renew it."""

    def end():
        with writing():
            Lease.update(until_ms=1).execute()

    return end


@pytest.fixture
def age_leases(app):
    """Lets so many seconds of each lease be over. It ends by the clock of the database."""

    def age(*, seconds):
        with writing():
            Lease.update(until_ms=Lease.until_ms - seconds * 1000).execute()

    return age


@pytest.fixture
def work():
    """Does a round of a background task of an app."""

    def once(app, task):
        (found,) = (each for each in app.extensions["realtime"].tasks if each._on_failure == task)
        with app.app_context():
            found._work()

    return once


@pytest.fixture
def reconcile(app, clock):
    """Reconciles when nothing is recent; what was checked, and kind and id of each discrepancy."""

    def run(*arguments):
        clock.advance(minutes=6)
        result = app.test_cli_runner().invoke(args=["payments", "reconcile", *arguments])
        printed = json.loads(result.stdout)
        assert result.exit_code == bool(printed["findings"])
        return printed["checked"], [(each["kind"], each["id"]) for each in printed["findings"]]

    return run


@pytest.fixture
def statistics(client, player):
    """Type, amount and txhash of the player's payments, newest first, as /stats/payments shows them."""

    def get(by=player):
        listed = client.get("/stats/payments", headers=by.headers).json["data"]["payments"]
        return [(each["type"], each["usdAmount"], each["txhash"]) for each in listed]

    return get


@pytest.fixture
def titles(client, player):
    """The titles of the player's notifications."""

    def get():
        return [each["title"] for each in client.get("/profile/notifications", headers=player.headers).json]

    return get


@pytest.fixture
def events(run):
    """The kinds of the audit events of payments, oldest first."""

    def kinds():
        found = run("audit", "export")
        names = [event["what"] for event in found[1:]]
        return [name for name in names if name.startswith(("deposit.", "withdrawal.", "payment"))]

    return kinds
