"""Audits the ledger: balances equal their entries, transactions sum to zero, totals equal their rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import peewee
from peewee import fn

from models.bets import Bet
from models.db.connection import snapshot
from models.ledger import LedgerEntry, LedgerTransaction
from models.payments import Payment
from models.users import User
from services.affiliates import audit as affiliates_audit
from services.cases import audit as cases_audit
from services.ledger.posting import PLAYERS_ACCOUNTS, Account
from services.maintenance import totals
from services.prizes import audit as prizes_audit
from services.wallet.payments import PaymentType


@dataclass(frozen=True)
class LedgerAudit:
    """How much was read, and a line for each mismatch (ids only, never amounts)."""

    users: int
    transactions: int
    entries: int
    mismatches: list[str]


def audit() -> LedgerAudit:
    """Check the whole ledger in one snapshot, while players may play."""
    with snapshot():
        return LedgerAudit(
            users=User.select().count(),
            transactions=LedgerTransaction.select().count(),
            entries=LedgerEntry.select().count(),
            mismatches=[
                *_unbalanced_transactions(),
                *_empty_transactions(),
                *_wrong_balances(),
                *_wrong_payments(),
                *affiliates_audit.mismatches(),
                *prizes_audit.mismatches(),
                *totals.problems(),
                *cases_audit.mismatches(),
            ],
        )


def _unbalanced_transactions() -> Iterator[str]:
    query = (
        LedgerEntry.select(LedgerEntry.transaction)
        .group_by(LedgerEntry.transaction)
        .having(fn.SUM(LedgerEntry.amount_cents) != 0)
    )
    for transaction_id in query.scalars():
        yield f"transaction {transaction_id} does not sum to zero"


def _empty_transactions() -> Iterator[str]:
    """Only the transaction of a free opening that paid nothing has no entries."""
    is_empty_bet = (Bet.wager_cents == 0) & (Bet.payout_cents == 0)
    query = (
        LedgerTransaction.select(LedgerTransaction.id)
        .join(LedgerEntry, peewee.JOIN.LEFT_OUTER)
        .switch(LedgerTransaction)
        .join(Bet, peewee.JOIN.LEFT_OUTER, on=(Bet.ledger_transaction == LedgerTransaction.id) & is_empty_bet)
        .where(LedgerEntry.id.is_null(), Bet.id.is_null())
    )
    for transaction_id in query.scalars():
        yield f"transaction {transaction_id} has no entries"


def _wrong_balances() -> Iterator[str]:
    for account in PLAYERS_ACCOUNTS:
        posted = (
            LedgerEntry.select(LedgerEntry.user, fn.SUM(LedgerEntry.amount_cents).alias("cents"))
            .where(LedgerEntry.account == account)
            .group_by(LedgerEntry.user)
            .alias("posted")
        )
        query = (
            User.select(User.platform_id)
            .join(posted, peewee.JOIN.LEFT_OUTER, on=(posted.c.user_id == User.id))
            .where(getattr(User, f"{account}_cents") != fn.COALESCE(posted.c.cents, 0))
        )
        for platform_id in query.scalars():
            yield f"the {account} of {platform_id} differs from its entries"


def _wrong_payments() -> Iterator[str]:
    """Each deposit and withdrawal in the ledger has a payment of the same amount."""
    house = peewee.Case(Payment.type, [(PaymentType.DEPOSIT, Payment.usd_cents * -1)], Payment.usd_cents)
    query = (
        LedgerEntry.select(LedgerEntry.transaction)
        .join(Payment, peewee.JOIN.LEFT_OUTER, on=(Payment.ledger_transaction == LedgerEntry.transaction))
        .where(LedgerEntry.account == Account.HOUSE_PAYMENTS)
        .where(LedgerEntry.amount_cents != fn.COALESCE(house, 0))
    )
    for transaction_id in query.scalars():
        yield f"transaction {transaction_id} differs from its payment"
