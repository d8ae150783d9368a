"""The ledger: the one module that changes balances.

Every change is one ledger transaction whose entries sum to zero, written in the same database transaction as
the balance columns. On PostgreSQL, bets write the same rows by one statement (models/bet_settlement.py).
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, NewType

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


class Move(NamedTuple):
    """Coins that go from one account to another. A player's account is that of the posting's player."""

    amount: Cents
    source: Account
    target: Account


def post(*, kind: Kind, user_id: int, moves: Sequence[Move], now: Millis) -> TransactionId:
    """Write one ledger transaction and change the player's balances with it, all or nothing.

    An account must hold what is taken from it before anything is added, so no wager is paid from its own
    winnings. Of two concurrent postings that would take the same coin one succeeds; the other raises
    InsufficientBalance and changes nothing. The transaction gets its id after the player's row is locked,
    so the ids of one player's transactions are in the order of the changes. Without moves nothing changes:
    only an opening of the free case that pays nothing does that.
    """
    if any(move.amount <= 0 for move in moves):
        raise ValueError("a move must be of more than 0")
    with writing():
        _change_balances(user_id, moves)
        transaction_id = _INSERT_TRANSACTION.execute({"kind": kind, "now": now}).fetchone()[0]
        for amount, source, target in moves:
            for account, change in ((source, -amount), (target, amount)):
                entry = {
                    "transaction": transaction_id,
                    "account": account,
                    "user_id": user_id if account in BALANCE_COLUMN else None,
                    "amount": change,
                }
                _INSERT_ENTRY.execute(entry)
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


def _change_balances(user_id: int, moves: Sequence[Move]) -> None:
    """Change the accounts of the player that the moves name, if any. Raises InsufficientBalance."""
    values: dict[str, int] = dict.fromkeys(_CHANGE_NAMES, 0)
    for amount, source, target in moves:
        if source in BALANCE_COLUMN:
            values[f"net_{source}"] -= amount
            values[f"taken_{source}"] += amount
        if target in BALANCE_COLUMN:
            values[f"net_{target}"] += amount
    if any(values.values()) and not _CHANGE.execute(values | {"user_id": user_id}).rowcount:
        raise InsufficientBalance


_CHANGE_NAMES = [f"{kind}_{account}" for kind in ("net", "taken") for account in BALANCE_COLUMN]
_CHANGE = PreparedQuery(
    lambda value: User.update(
        {column: column + value(f"net_{account}") for account, column in BALANCE_COLUMN.items()}
        | {User.balance_version: User.balance_version + 1}
    ).where(
        User.id == value("user_id"),
        *(column >= value(f"taken_{account}") for account, column in BALANCE_COLUMN.items()),
    )
)
