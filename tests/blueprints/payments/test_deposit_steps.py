"""A deposit follows its invoice, step by step, and never goes back."""

from decimal import Decimal

import pytest

from tests.harness.btcpay.fake import FakeBtcPay


def processing(fake, invoice):
    fake.pay(invoice, status="Processing")


def pay_twice(fake, invoice):
    """The provider does not call that overpaid: the invoice was settled."""
    fake.pay(invoice)
    fake.pay(invoice, 5)
    assert fake.invoice(invoice).additional == "None"


def replace(fake, invoice):
    fake.double_spend(invoice)
    fake.expire(invoice)


def pay_a_part_and_invalidate(fake, invoice):
    fake.pay(invoice, 10)
    fake.invalidate(invoice)


def pay(usd):
    return lambda fake, invoice: fake.pay(invoice, Decimal(usd))


def nothing(_fake, _invoice):
    """Nobody does anything."""


PAID, EXPIRED, SETTLED = FakeBtcPay.pay, FakeBtcPay.expire, FakeBtcPay.settle

# What happens to the invoice, the status after each step, and the balance at the end.
STEPS = {
    "paid exactly": ([nothing, processing, SETTLED], "pending confirming credited", 125),
    "overpaid, rounded down": ([pay("25.019")], "credited", 125.01),
    "paid twice before the first look-up": ([pay_twice], "credited", 130),
    "not paid": ([EXPIRED], "expired", 100),
    "underpaid": ([pay("24.99"), EXPIRED], "pending review", 100),
    "paid late": ([EXPIRED, FakeBtcPay.pay_late], "expired review", 100),
    "marked as settled by staff": ([FakeBtcPay.mark_settled], "review", 100),
    "invalid without money": ([FakeBtcPay.invalidate], "failed", 100),
    "invalid with money": ([pay_a_part_and_invalidate], "review", 100),
    "replaced": ([processing, replace], "confirming failed", 100),
    "invalid after it was credited": ([PAID, FakeBtcPay.invalidate], "credited credited", 125),
}


@pytest.mark.parametrize(("steps", "statuses", "coins"), STEPS.values(), ids=STEPS)
def test_a_deposit_follows_its_invoice(
    deposit, invoice_of, poll, status_of, balance, fake, steps, statuses, coins
):
    made, seen = deposit(25), []

    for step in steps:
        step(fake, invoice_of(made))
        poll()
        seen.append(status_of(made))

    assert (seen, balance()) == (statuses.split(), coins)


def test_late_money_is_noticed_within_a_day_after_the_invoice(
    deposit, invoice_of, fake, clock, poll, status_of
):
    early, late = deposit(), deposit()
    poll()
    clock.advance(minutes=16)
    poll()
    clock.advance(hours=47)
    for _ in range(10):
        poll()
    fake.pay(invoice_of(early))
    clock.advance(minutes=10)
    poll()
    assert (status_of(early), status_of(late)) == ("review", "expired")

    clock.advance(hours=2)
    poll()
    fake.pay(invoice_of(late))
    clock.advance(hours=1)
    poll()

    assert status_of(late) == "expired"


def test_the_store_is_told_to_tolerate_nothing(deposit, invoice_of, fake):
    assert fake.invoice(invoice_of(deposit())).tolerance == 0
