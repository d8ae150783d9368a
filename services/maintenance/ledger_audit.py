"""Audits the ledger: balances equal their entries, transactions sum to zero, totals equal their rows."""

from dataclasses import dataclass

from models.db.connection import repeatable_read
from models.ledger import LedgerEntry, LedgerTransaction
from models.users import User
from services.cases import audit as cases_audit
from services.ledger import audit as postings_audit
from services.maintenance import statistics_audit
from services.payments import audit as payments_audit
from services.wallet.affiliates import audit as affiliates_audit
from services.wallet.prizes import audit as prizes_audit

AUDITS = (postings_audit, payments_audit, affiliates_audit, prizes_audit, statistics_audit, cases_audit)
"""Their functions ``mismatches`` yield a line for each mismatch (ids and times only, never amounts)."""


@dataclass(frozen=True)
class LedgerAudit:
    """How much was read, and the lines of all mismatches."""

    users: int
    transactions: int
    entries: int
    mismatches: list[str]


def audit() -> LedgerAudit:
    """Check the whole ledger in one transaction, while players may play."""
    with repeatable_read():
        return LedgerAudit(
            users=User.select().count(),
            transactions=LedgerTransaction.select().count(),
            entries=LedgerEntry.select().count(),
            mismatches=[line for each in AUDITS for line in each.mismatches()],
        )
