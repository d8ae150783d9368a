"""A deposit follows its invoice, step by step, and never goes back."""

from decimal import Decimal

import pytest


@pytest.fixture
def steps(deposit, invoice_of, poll, status_of, balance):
    """Makes a deposit, and does these things to its invoice; the status after each, and the balance."""

    def follow(*doings, amount=25):
        made = deposit(amount)
        invoice, seen = invoice_of(made), [made["status"]]
        for do in doings:
            do(invoice)
            poll()
            seen.append(status_of(made))
        return seen, balance()

    return follow


def test_a_deposit_that_is_paid_exactly_is_credited(steps, fake):
    def pay(invoice):
        fake.pay(invoice, status="Processing")

    seen, coins = steps(lambda _: None, pay, fake.settle)

    assert seen == ["pending", "pending", "confirming", "credited"]
    assert coins == 125


def test_what_is_overpaid_is_credited_rounded_down(steps, fake):
    seen, coins = steps(lambda invoice: fake.pay(invoice, Decimal("25.019")))

    assert (seen[-1], coins) == ("credited", 125.01)


def test_more_money_before_the_first_look_up_is_credited(steps, fake):
    """The provider does not call that overpaid: the invoice was settled."""

    def pay_twice(invoice):
        fake.pay(invoice)
        fake.pay(invoice, 5)
        assert fake.invoice(invoice).additional == "None"

    assert steps(pay_twice) == (["pending", "credited"], 130)


def test_what_nobody_pays_expires(steps, fake):
    seen, coins = steps(fake.expire)

    assert (seen[-1], coins) == ("expired", 100)


def test_what_is_underpaid_is_for_staff_when_it_has_expired(steps, fake):
    seen, coins = steps(lambda invoice: fake.pay(invoice, Decimal("24.99")), fake.expire)

    assert seen == ["pending", "pending", "review"]
    assert coins == 100


def test_money_that_comes_late_is_for_staff(steps, fake):
    seen, coins = steps(fake.expire, fake.pay_late)

    assert seen == ["pending", "expired", "review"]
    assert coins == 100


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


def test_an_invoice_that_staff_mark_as_settled_is_for_review(steps, fake):
    assert steps(fake.mark_settled) == (["pending", "review"], 100)


def test_an_invalid_invoice_without_money_has_failed(steps, fake):
    assert steps(fake.invalidate) == (["pending", "failed"], 100)


def test_a_payment_that_is_replaced_has_failed(steps, fake):
    def pay(invoice):
        fake.pay(invoice, status="Processing")

    def replace(invoice):
        fake.double_spend(invoice)
        fake.expire(invoice)

    assert steps(pay, replace) == (["pending", "confirming", "failed"], 100)


def test_an_invalid_invoice_with_money_is_for_review(steps, fake):
    def pay_a_part_and_invalidate(invoice):
        fake.pay(invoice, 10)
        fake.invalidate(invoice)

    assert steps(pay_a_part_and_invalidate) == (["pending", "review"], 100)


def test_the_store_is_told_to_tolerate_nothing(deposit, invoice_of, fake):
    assert fake.invoice(invoice_of(deposit())).tolerance == 0


def test_a_credited_deposit_stays_when_the_provider_changes_its_mind(steps, fake):
    assert steps(fake.pay, fake.invalidate) == (["pending", "credited", "credited"], 125)
