"""Invoices whose answers were lost: each deposit has one invoice, and it is the platform's own."""

from decimal import Decimal

import pytest

from models.db.connection import reading, writing
from models.payments import Deposit
from tests.harness.btcpay.faults import Fault
from tests.harness.btcpay.objects import invalid

CREATE = "create invoice"


@pytest.fixture
def stored(app):
    """The row of a deposit."""
    return reading()(lambda made: Deposit.get_by_id(made["id"]))


@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, Fault.ERROR_AFTER])
def test_an_invoice_with_a_lost_answer_is_found(fault, deposit, fake, invoice_of, poll, shown):
    fake.faults.next(CREATE, fault)
    made = deposit()

    poll()

    invoice = invoice_of(made)
    assert (shown(made)["status"], shown(made)["checkoutUrl"]) == ("pending", f"{fake.url}/i/{invoice}")
    fake.pay(invoice)
    poll()
    assert shown(made)["status"] == "credited"


@pytest.mark.parametrize("fault", [Fault.NO_ANSWER, Fault.ERROR_BEFORE, Fault.UNAVAILABLE])
def test_an_invoice_that_was_never_made_is_made_later(fault, deposit, fake, invoice_of, poll, status_of):
    fake.faults.next(CREATE, fault)
    made = deposit()
    assert fake.invoices_of(made["id"]) == []

    poll()

    assert status_of(made) == "pending"
    assert invoice_of(made)


def test_no_invoice_is_made_while_the_look_up_fails(deposit, fake, poll, status_of):
    fake.faults.next(CREATE, Fault.LOST_ANSWER)
    made = deposit()
    fake.faults.next("list invoices", Fault.NO_ANSWER, Fault.ERROR_AFTER, Fault.UNAVAILABLE)
    for _ in range(3):
        poll()
        assert status_of(made) == "created"

    poll()

    assert status_of(made) == "pending"
    assert len(fake.invoices_of(made["id"])) == 1


def test_a_deposit_without_a_trace_has_failed_after_an_hour(deposit, fake, poll, status_of, clock, stored):
    fake.faults.next(CREATE, *[Fault.NO_ANSWER] * 20)
    made = deposit()
    for _ in range(5):
        poll()
    clock.advance(minutes=58)
    poll()
    assert status_of(made) == "created"

    clock.advance(minutes=10)
    poll()

    assert (status_of(made), stored(made).reason) == ("failed", "the provider has no trace of it")
    assert fake.invoices == []


def test_a_deposit_that_is_refused_later_has_failed(deposit, fake, poll, status_of, monkeypatch):
    def refuse(*_, **__):
        raise invalid(("amount", "The amount is too odd"))

    fake.faults.next(CREATE, Fault.NO_ANSWER)
    made = deposit()
    monkeypatch.setattr(fake.state, "create_invoice", refuse)

    poll()

    assert status_of(made) == "failed"


def test_money_for_a_deposit_given_up_is_for_staff(
    deposit, fake, poll, status_of, reconcile, clock, stored, balance
):
    fake.faults.next(CREATE, Fault.NO_ANSWER)
    made = deposit()
    clock.advance(minutes=61)
    poll()
    assert status_of(made) == "failed"
    metadata = {"orderId": made["id"], "depositSecret": stored(made).secret}
    with fake.state.changing():
        late = fake.state.create_invoice({"metadata": metadata}, amount=Decimal(25))
    assert reconcile() == (1, [])
    assert status_of(made) == "failed"

    fake.pay(late.id)

    assert reconcile() == (1, [])
    assert (status_of(made), balance()) == ("review", 100)


@pytest.mark.parametrize("usd", [None, 10])
def test_the_invoice_of_a_stranger_is_never_adopted(usd, deposit, fake, poll, status_of, reconcile, balance):
    fake.faults.next(CREATE, Fault.NO_ANSWER)
    made = deposit()
    stranger = fake.stranger_invoice(made["id"], 25 if usd is None else usd)
    fake.pay(stranger)

    poll()

    assert (status_of(made), balance()) == ("pending", 100)
    assert len(fake.invoices_of(made["id"])) == 2
    assert reconcile() == (2, [("foreign-invoice", made["id"])])


def test_money_to_a_second_invoice_of_ours_is_a_discrepancy(
    deposit, fake, poll, status_of, reconcile, balance
):
    fake.faults.next(CREATE, Fault.LOST_ANSWER)
    fake.faults.next("list invoices", Fault.STALE)
    made = deposit()
    poll()
    first, second = [invoice.id for invoice in fake.invoices_of(made["id"])]
    fake.pay(second)
    poll()
    assert (status_of(made), balance()) == ("credited", 125)
    assert reconcile() == (2, [])

    fake.pay(first)

    assert reconcile() == (2, [("second-invoice", first)])
    assert balance() == 125


def test_polling_asks_less_and_less_often_until_something_changes(
    deposit, fake, clock, invoice_of, stored, poll_now
):
    made = deposit()
    fake.invoice(invoice_of(made)).expires += 24 * 3600
    asked = fake.api.requests.count("get invoice")
    with writing():
        Deposit.update(poll_wait_ms=60_000).execute()
    pauses = []
    for _ in range(6):
        before, clock.now = clock.now, stored(made).poll_at_ms
        poll_now()
        pauses.append((clock.now - before) // 1000)
    assert fake.api.requests.count("get invoice") - asked == 6
    assert pauses == [0, 60, 120, 240, 480, 600]
    fake.pay(invoice_of(made), status="Processing")
    clock.now = stored(made).poll_at_ms

    poll_now()

    assert stored(made).poll_at_ms - clock.now == 100
