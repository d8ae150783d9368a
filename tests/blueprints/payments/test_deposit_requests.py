"""POST and GET /payments/deposits: what is answered, and what is refused."""

import pytest

from models.db.connection import reading
from models.payments import Deposit
from tests.blueprints.payments.conftest import NOW
from tests.harness.btcpay.faults import Fault
from tests.harness.btcpay.objects import invalid

NOT_FOUND = (404, {"error": "Payment not found"})
UNKNOWN_METHOD = (400, {"error": "Unknown payment method"})
INVALID = (400, {"error": "Invalid amount"})
OUTSIDE = (400, {"error": "Amount is outside the limits of this method"})
AWAY = (503, {"error": "The payment provider is not available"})
REFUSED = (502, {"error": "The payment provider refused the deposit"})


@pytest.fixture
def statuses(app):
    """The status and reason of each deposit."""
    return reading()(lambda: list(Deposit.select(Deposit.status, Deposit.reason).tuples()))


def test_a_deposit_shows_where_to_pay_and_until_when(deposit, fake, invoice_of, shown, player):
    made = deposit(25.5)

    invoice = fake.invoice(invoice_of(made))
    assert made == {
        "id": invoice.metadata["orderId"],
        "method": "btcpay",
        "status": "pending",
        "amount": 25.5,
        "credited": None,
        "paidAmount": None,
        "checkoutUrl": f"{fake.url}/i/{invoice.id}",
        "expiresAt": invoice.expires * 1000,
        "createdAt": NOW,
    }
    assert shown(made) == made
    assert (invoice.amount, invoice.currency) == (25.5, "USD")
    assert invoice.metadata["platformid"] == player.platform_id


def test_a_bad_method_is_refused(post_deposit, statuses, fake):
    for method in ("cash", "BTC-CHAIN", "demo", "", None, 5, ["btcpay"], {}):
        assert post_deposit(method=method) == UNKNOWN_METHOD
    assert (statuses(), fake.invoices) == ([], [])


def test_a_bad_amount_is_refused_by_its_kind(post_deposit, ask, statuses, fake):
    for amount in (0, -1, 25.001, 1e9 + 1, 1e400, "25", True, None, [25]):
        assert post_deposit(amount) == INVALID
    for amount in (0.01, 0.99, 10_000.01, 1e9):
        assert post_deposit(amount) == OUTSIDE
    assert ask("POST", "/payments/deposits", {"method": "btcpay"}) == INVALID
    assert ask("POST", "/payments/deposits", {"amount": 25}) == UNKNOWN_METHOD
    assert (statuses(), fake.invoices) == ([], [])


def test_a_provider_away_is_503_and_the_deposit_fails(post_deposit, fake, statuses):
    with fake.away():
        assert post_deposit() == AWAY

    assert statuses() == [("failed", "the provider can't be reached")]


def test_a_refused_deposit_is_502_and_has_failed(post_deposit, fake, statuses, monkeypatch):
    def refuse(*_, **__):
        raise invalid(("amount", "The amount is too odd"))

    monkeypatch.setattr(fake.state, "create_invoice", refuse)

    assert post_deposit() == REFUSED
    assert statuses() == [("failed", "the provider refused: amount")]


UNKNOWN = [Fault.NO_ANSWER, Fault.LOST_ANSWER, Fault.ERROR_BEFORE, Fault.ERROR_AFTER, Fault.UNAVAILABLE]


@pytest.mark.parametrize("fault", UNKNOWN)
def test_an_unknown_answer_leaves_a_deposit_without_a_checkout(fault, deposit, fake, shown):
    fake.faults.next("create invoice", fault)

    made = deposit()

    assert [made[name] for name in ("status", "checkoutUrl", "expiresAt")] == ["created", None, None]
    assert shown(made) == made


def test_the_deposit_of_another_player_is_not_found(deposit, ask, new_player):
    made, bob = deposit(), new_player("bob")

    assert ask("GET", f"/payments/deposits/{made['id']}", by=bob) == NOT_FOUND
    assert ask("GET", f"/payments/withdrawals/{made['id']}") == NOT_FOUND
    assert ask("GET", "/payments/deposits/none") == NOT_FOUND
