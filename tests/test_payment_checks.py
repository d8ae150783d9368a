"""The checks after a storm of payments accept what is right, and find every wrong record."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from bench.harness.btcpay.fake import FakeBtcPay
from bench.harness.payments.check_service import Decision
from bench.harness.payments.checks import of_act, of_deposit, of_withdrawal
from bench.harness.payments.memory import Act, Kind, Memory, may_follow

SECRET = "known to the platform only"


@pytest.fixture
def fake():
    """One that is not served: its state is enough."""
    return FakeBtcPay()


def invoice_of(fake, order_id="d1", **metadata):
    body = {"amount": "10.00", "metadata": {"orderId": order_id, **metadata}}
    with fake.state.changing():
        return fake.state.create_invoice(body | {"checkout": {"paymentTolerance": 0}})


def deposit_of(invoice, status, credited=None, **more):
    row = {"id": "d1", "secret": SECRET, "invoice_id": invoice.id, "status": status}
    return SimpleNamespace(**row, credited_cents=credited, is_decided_by_staff=False, **more)


@pytest.fixture
def invoice(fake):
    return invoice_of(fake, secret=SECRET)


@pytest.mark.parametrize(
    ("paid", "status", "credited"),
    [("10", "credited", 1000), ("12.34", "credited", 1234), ("9.99", "review", None)],
)
def test_a_right_deposit_has_no_problem(fake, invoice, paid, status, credited):
    fake.pay(invoice.id, Decimal(paid))
    fake.expire(invoice.id)

    assert list(of_deposit(deposit_of(invoice, status, credited), fake)) == []


@pytest.mark.parametrize(
    ("paid", "status", "credited"),
    [
        ("10", "review", None),
        ("10", "credited", 1001),
        ("12.34", "credited", 1000),
        ("9.99", "credited", 999),
        ("9.99", "expired", None),
        ("9.99", "pending", None),
    ],
)
def test_a_wrong_deposit_is_reported(fake, invoice, paid, status, credited):
    fake.pay(invoice.id, Decimal(paid))
    fake.expire(invoice.id)

    assert list(of_deposit(deposit_of(invoice, status, credited), fake))


def test_a_stranger_s_invoice_is_reported(fake, invoice):
    stranger = fake.invoice(fake.stranger_invoice("d1"))
    fake.pay(stranger.id)

    assert list(of_deposit(deposit_of(stranger, "credited", 1000), fake))


@pytest.fixture
def scene(fake):
    check = SimpleNamespace(decisions={"w1": Decision.APPROVE})
    return SimpleNamespace(fake=fake, check=check, cancelled=set())


STAFF = SimpleNamespace(approved=set(), rejected=set(), failed=set())


def withdrawal_of(status):
    return SimpleNamespace(id="w1", status=status, amount_cents=6000, destination=FakeBtcPay.address("a"))


def prepare_payout(fake, amount="60.00"):
    body = {
        "payoutMethodId": "BTC-CHAIN",
        "destination": fake.address("a"),
        "amount": amount,
        "pullPaymentId": fake.pull_payment.id,
        "metadata": {"withdrawalId": "w1"},
        "approved": True,
    }
    with fake.state.changing():
        return fake.state.create_payout(body)


@pytest.mark.parametrize(
    ("payments", "status", "is_right"),
    [
        (["60.00"], "completed", True),
        ([], "failed", False),
        ([], "completed", False),
        (["60.00"], "failed", False),
        (["60.00"], "sent", False),
        (["60.00", "60.00"], "completed", False),
        (["60.01"], "completed", False),
        ([], "sending", False),
    ],
)
def test_a_withdrawal_is_compared_with_what_was_paid(fake, scene, payments, status, is_right):
    for amount in payments:
        fake.complete(prepare_payout(fake, amount))

    assert (list(of_withdrawal(withdrawal_of(status), scene, STAFF)) == []) == is_right


def test_a_withdrawal_may_fail_when_its_payout_was_cancelled(fake, scene):
    payout = prepare_payout(fake)
    fake.cancel(payout)
    scene.cancelled.add(payout.id)

    assert list(of_withdrawal(withdrawal_of("failed"), scene, STAFF)) == []


def test_a_withdrawal_that_nobody_approved_is_reported(fake, scene):
    fake.complete(prepare_payout(fake))
    scene.check.decisions["w1"] = Decision.REVIEW

    assert list(of_withdrawal(withdrawal_of("completed"), scene, STAFF))


def row(key, status="pending", id_="a"):
    return SimpleNamespace(id=id_, idempotency_key=key, status=status)


@pytest.mark.parametrize(
    ("act", "rows", "is_right"),
    [
        (Act(Kind.DEPOSIT, 1, "k", ids={"a"}, attempts=3), [row("k")], True),
        (Act(Kind.DEPOSIT, 1, "k", ids={"a"}, attempts=3), [row("k"), row("k", id_="b")], False),
        (Act(Kind.DEPOSIT, 1, "k", ids={"a", "b"}, attempts=3), [row("k"), row("k", id_="b")], False),
        (
            Act(Kind.DEPOSIT, 1, "k", ids={"a", "b"}, attempts=3, unavailable=1),
            [row(None, "failed"), row("k", id_="b")],
            True,
        ),
        (Act(Kind.DEPOSIT, 1, ids={"a"}, attempts=1), [], False),
        (Act(Kind.DEPOSIT, 1, attempts=1, unknown=1), [row(None)], True),
        (Act(Kind.DEPOSIT, 1, attempts=1, unknown=1), [row(None), row(None, id_="b")], False),
        (Act(Kind.DEPOSIT, 1, attempts=1, errors=["no"]), [row(None)], False),
    ],
)
def test_a_request_makes_one_row(act, rows, is_right):
    assert (list(of_act(act, rows)) == []) == is_right


def test_a_status_that_goes_back_is_a_contradiction():
    memory = Memory(SimpleNamespace(id=1), 0)

    for status in ("sent", "sending"):
        memory.saw(Kind.WITHDRAWAL, {"id": "w1", "status": status})

    assert len(memory.contradictions) == 1
    assert may_follow(Kind.DEPOSIT, "created", "credited")
