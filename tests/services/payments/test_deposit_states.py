"""Properties of what an invoice means for its deposit, whatever the provider shows and in whatever order."""

from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal

from hypothesis import given
from hypothesis import strategies as st

from models.payments import DepositStatus
from services.payments.deposit_states import CLOSED, next_step, outcome_of
from services.payments.provider import Invoice, InvoiceState
from services.shared.clock import Millis
from services.shared.money import MAX_AMOUNT_CENTS, Cents

CENT = Decimal("0.01")

cents = st.one_of(st.integers(1, 1_000), st.integers(1, MAX_AMOUNT_CENTS)).map(Cents)
amounts_paid = st.decimals(0, MAX_AMOUNT_CENTS // 50, places=10)


@st.composite
def paid_for(draw, asked):
    """Amounts around what was asked, where rounding matters, and any others."""
    off = draw(st.decimals(Decimal("-0.03"), Decimal("0.03"), places=10))
    return draw(st.one_of(st.just(max(Decimal(asked) / 100 + off, Decimal(0))), amounts_paid))


@st.composite
def invoices(draw, asked):
    """Any invoice that the provider may show for a deposit of this amount."""
    return Invoice(
        id="invoice",
        order_id="deposit",
        secret="secret",
        state=draw(st.sampled_from(InvoiceState)),
        is_regular=draw(st.booleans()),
        label="label",
        currency=draw(st.sampled_from(["USD", "USD", "USD", "EUR"])),
        amount=draw(st.one_of(st.just(asked), st.just(asked), cents, st.none())),
        paid=draw(paid_for(asked)),
        checkout_url="",
        created_at=Millis(0),
        changed_at=Millis(0),
        expires_at=Millis(0),
        monitored_until=Millis(0),
    )


deposits_with_invoice = cents.flatmap(lambda asked: st.tuples(st.just(asked), invoices(asked)))
histories = cents.flatmap(lambda asked: st.tuples(st.just(asked), st.lists(invoices(asked), max_size=8)))

RANKS = {
    DepositStatus.PENDING: 0,
    DepositStatus.CONFIRMING: 1,
    DepositStatus.EXPIRED: 2,
    DepositStatus.FAILED: 2,
    DepositStatus.REVIEW: 3,
    DepositStatus.CREDITED: 3,
}


@given(deposits_with_invoice)
def test_only_a_settled_regular_invoice_of_this_amount_is_credited(deposit):
    asked, invoice = deposit

    outcome = outcome_of(invoice, asked=asked)

    is_good = invoice.state is InvoiceState.SETTLED and invoice.is_regular
    is_good = is_good and (invoice.currency, invoice.amount) == ("USD", asked)
    is_paid = invoice.paid * 100 >= asked - Decimal("0.5")
    assert (outcome.status is DepositStatus.CREDITED) == (is_good and is_paid)
    assert (outcome.credited is not None) == (outcome.status is DepositStatus.CREDITED)


@given(deposits_with_invoice)
def test_what_came_is_credited_rounded_down_or_what_was_asked(deposit):
    asked, invoice = deposit

    credited = outcome_of(invoice, asked=asked).credited

    if credited is not None:
        assert credited >= asked
        # Less than a cent more than was paid, and only when the invoice counts as paid exactly.
        assert Decimal(credited) <= invoice.paid * 100 + Decimal("0.5")
        if credited > asked:
            assert credited == int((invoice.paid * 100).to_integral_value(ROUND_FLOOR))


@given(deposits_with_invoice)
def test_money_is_never_lost_without_staff(deposit):
    """An invoice to which money came ends as credited or in review, and never as failed or expired."""
    asked, invoice = deposit

    status = outcome_of(invoice, asked=asked).status

    if invoice.paid > 0:
        assert status not in CLOSED


@given(deposits_with_invoice, cents)
def test_more_money_credits_never_less(deposit, more):
    asked, invoice = deposit
    first = outcome_of(invoice, asked=asked)

    second = outcome_of(replace(invoice, paid=invoice.paid + more * CENT), asked=asked)

    if first.status is DepositStatus.CREDITED:
        assert second.status is DepositStatus.CREDITED
        assert first.credited <= second.credited <= first.credited + more + 1


@given(histories)
def test_a_deposit_never_goes_back_and_is_credited_once(history):
    asked, shown = history
    status, credited = DepositStatus.PENDING, []

    for invoice in shown:
        outcome = next_step(status, outcome_of(invoice, asked=asked))
        if outcome is None:
            continue
        assert RANKS[outcome.status] > RANKS[status]
        status = outcome.status
        credited += [outcome.credited] if outcome.credited is not None else []

    assert len(credited) == (status is DepositStatus.CREDITED)
