"""The ledger: the one module that changes balances.

Every change is one ledger transaction whose entries sum to zero, written in the same database transaction as
the balance columns. On PostgreSQL, bets write the same rows by one statement (models/bet_settlement.py).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from models.db.connection import writing
from models.db.prepared_query import PreparedQuery
from models.ledger import LedgerEntry, LedgerTransaction
from models.users import User
from services.shared.clock import Millis
from services.shared.errors import InsufficientBalance
from services.shared.money import Cents


class Account(StrEnum):
    """A player's three accounts, and those of the house, which have no balance row."""

    BALANCE = "balance"
    VAULT = "vault"
    SWEEPSTAKE = "sweepstake"
    HOUSE_BETS = "house.bets"
    HOUSE_GRANTS = "house.grants"
    HOUSE_PAYMENTS = "house.payments"
    HOUSE_BONUSES = "house.bonuses"
    HOUSE_AFFILIATES = "house.affiliates"
    HOUSE_PRIZES = "house.prizes"
    HOUSE_SHIPPED = "house.shipped"


class Kind(StrEnum):
    """The reason for a transaction."""

    SPIN = "spin"
    OPENING = "opening"
    GRANT = "grant"
    VAULT_LOCK = "vault-lock"
    VAULT_UNLOCK = "vault-unlock"
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"
    CODE_BONUS = "code-bonus"
    AFFILIATE_CLAIM = "affiliate-claim"
    PRIZE_SALE = "prize-sale"
    PRIZE_SHIPPED = "prize-shipped"


BALANCE_COLUMN = {
    Account.BALANCE: User.balance_cents,
    Account.VAULT: User.vault_cents,
    Account.SWEEPSTAKE: User.sweepstake_cents,
}

TransactionId = NewType("TransactionId", int)


@dataclass(frozen=True)
class Entry:
    """Coins added to (negative: taken from) one account. ``user_id`` is None for the house's."""

    account: Account
    amount: Cents
    user_id: int | None = None


def post(*, kind: Kind, entries: Sequence[Entry], now: Millis) -> TransactionId:
    """Write one ledger transaction and change the balances with it, all or nothing.

    An account must hold what is taken from it before anything is added, so no wager is paid from its own
    winnings. Of two concurrent postings that would take the same coin one succeeds; the other raises
    InsufficientBalance and changes nothing. The transaction gets its id after its players' rows are locked,
    so the ids of one player's transactions are in the order of the changes. Without entries nothing moves:
    only an opening of the free case that pays nothing does that.
    """
    if sum(entry.amount for entry in entries) != 0:
        raise ValueError("ledger entries must sum to zero")
    with writing():
        for user_id, changes in _by_user(entries).items():
            _move_balances(user_id, changes)
        transaction_id = _INSERT_TRANSACTION.execute({"kind": kind, "now": now}).fetchone()[0]
        for entry in entries:
            _INSERT_ENTRY.execute(vars(entry) | {"transaction": transaction_id})
    return TransactionId(transaction_id)


_INSERT_TRANSACTION = PreparedQuery(
    lambda value: LedgerTransaction.insert(kind=value("kind"), created_at_ms=value("now")).returning(
        LedgerTransaction.id
    )
)
_INSERT_ENTRY = PreparedQuery(
    lambda value: LedgerEntry.insert(
        transaction=value("transaction"),
        account=value("account"),
        user=value("user_id"),
        amount_cents=value("amount"),
    )
)


def _by_user(entries: Sequence[Entry]) -> dict[int, list[Entry]]:
    """The entries of players' accounts by player, in a fixed order so that two postings can't deadlock."""
    grouped: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.user_id is not None:
            grouped[entry.user_id].append(entry)
    return dict(sorted(grouped.items()))


def _move_balances(user_id: int, entries: Sequence[Entry]) -> None:
    values: dict[str, int] = dict.fromkeys(_MOVE_NAMES, 0) | {"user_id": user_id}
    for entry in entries:
        values[f"net_{entry.account}"] += entry.amount
        values[f"taken_{entry.account}"] += max(-entry.amount, 0)
    if not _MOVE.execute(values).rowcount:
        raise InsufficientBalance


_MOVE_NAMES = [f"{kind}_{account}" for kind in ("net", "taken") for account in BALANCE_COLUMN]
_MOVE = PreparedQuery(
    lambda value: User.update(
        {column: column + value(f"net_{account}") for account, column in BALANCE_COLUMN.items()}
        | {User.balance_version: User.balance_version + 1}
    ).where(
        User.id == value("user_id"),
        *(column >= value(f"taken_{account}") for account, column in BALANCE_COLUMN.items()),
    )
)
