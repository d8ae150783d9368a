"""The checks after a storm of payments accept what is right, and find every wrong record."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from bench.harness.btcpay.fake import FakeBtcPay
from bench.harness.payments.check_service import Decision
from bench.harness.payments.checks import of_deposit, of_withdrawal

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
    ("paid", "status", "credited", "is_right"),
    [
        ("10", "credited", 1000, True),
        ("12.34", "credited", 1234, True),
        ("9.99", "review", None, True),
        ("10", "review", None, False),
        ("10", "credited", 1001, False),
        ("9.99", "credited", 999, False),
        ("9.99", "pending", None, False),
    ],
)
def test_a_deposit_is_compared_with_what_was_paid(fake, invoice, paid, status, credited, is_right):
    fake.pay(invoice.id, Decimal(paid))
    fake.expire(invoice.id)

    assert (list(of_deposit(deposit_of(invoice, status, credited), fake)) == []) == is_right


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
        ([], "completed", False),
        (["60.00"], "failed", False),
        (["60.00", "60.00"], "completed", False),
        (["60.01"], "completed", False),
        ([], "sending", False),
    ],
)
def test_a_withdrawal_is_compared_with_what_was_paid(fake, scene, payments, status, is_right):
    for amount in payments:
        fake.complete(prepare_payout(fake, amount))

    assert (list(of_withdrawal(withdrawal_of(status), scene, STAFF)) == []) == is_right
