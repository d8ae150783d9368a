"""Rows that were changed by hand: one of the two audits notices each of them."""

import pytest

from models.db.connection import database, reading, writing
from models.payments import PaymentRecord
from tests.support.audits import check_reports

HELD = "house.held differs from the open withdrawals"


@pytest.fixture
def audited(app):
    """Not here."""


@pytest.fixture
def paid(credited, completed, withdraw, fake, send_payouts, run):
    """A credited deposit, and a completed, a failed and an open withdrawal; their ids."""
    ids = {"deposit": credited()["id"], "completed": completed()["id"]}
    ids["failed"] = withdraw(5, to="nonsense")["id"]
    ids["open"] = withdraw(5)["id"]
    send_payouts(2)
    assert run("ledger", "audit")["mismatches"] == 0
    return ids


CHANGED = {
    "UPDATE deposits SET credited_cents = credited_cents + 1": ["deposit {deposit} differs from its payment"],
    "UPDATE payments SET usd_cents = usd_cents + 1 WHERE type = 'deposit'": [
        "deposit {deposit} differs from its payment",
        "transaction {transaction} differs from its payment",
    ],
    "UPDATE withdrawals SET amount_cents = amount_cents + 1 WHERE id = '{open}'": [
        HELD,
        "withdrawal {open} differs from its hold",
    ],
    "UPDATE withdrawals SET amount_cents = amount_cents + 1 WHERE id = '{failed}'": [
        "withdrawal {failed} differs from its hold",
        "withdrawal {failed} differs from its release",
    ],
    "UPDATE withdrawals SET amount_cents = amount_cents + 1 WHERE id = '{completed}'": [
        "withdrawal {completed} differs from its hold",
        "withdrawal {completed} differs from its payment",
    ],
    "UPDATE withdrawals SET status = 'sent', payment_id = NULL WHERE id = '{completed}'": [HELD],
    "UPDATE withdrawals SET status = 'sent', release_id = NULL WHERE id = '{failed}'": [HELD],
    "DELETE FROM withdrawals WHERE id = '{open}'": [HELD],
}


@pytest.mark.both_databases("services/payments/audit.py")
def test_the_ledgers_audit_reports_each_changed_row_and_nothing_else(app, paid):
    with reading():
        transaction = PaymentRecord.get(PaymentRecord.type == "deposit").ledger_transaction_id

    check_reports(app, CHANGED.items(), paid, paid | {"transaction": transaction})


DIFFERING = {
    "UPDATE deposits SET amount_cents = amount_cents + 1": ("deposit", "deposit"),
    "UPDATE deposits SET credited_cents = credited_cents + 1": ("deposit", "deposit"),
    "UPDATE deposits SET secret = 'another'": ("deposit", "deposit"),
    "UPDATE deposits SET invoice_id = 'another'": ("invoice-missing", "deposit"),
    "UPDATE withdrawals SET destination = 'bc1qanother' WHERE id = '{completed}'": (
        "withdrawal",
        "completed",
    ),
    "UPDATE withdrawals SET amount_cents = 1 WHERE id = '{completed}'": ("withdrawal", "completed"),
    "UPDATE withdrawals SET method = 'BTC-LN' WHERE id = '{completed}'": ("withdrawal", "completed"),
    "UPDATE withdrawals SET payout_id = 'another' WHERE id = '{completed}'": ("payout-missing", "completed"),
    "UPDATE withdrawals SET status = 'sent', payment_id = NULL WHERE id = '{completed}'": (
        "withdrawal",
        "completed",
    ),
}


@pytest.mark.parametrize("statement", DIFFERING)
def test_the_reconciliation_finds_each_changed_row(statement, paid, reconcile):
    assert reconcile()[1] == []
    with writing():
        database.execute_sql(statement.format(**paid))

    kind, name = DIFFERING[statement]
    assert (kind, paid[name]) in reconcile()[1]
