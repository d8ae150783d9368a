"""The ledger, through which everything but a bet changes balances.

Every change is one ledger transaction whose entries sum to zero, written in the same database transaction as
the balance columns. Bets write the same rows with SQL of their own (models/bet_settlement.py).
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from models.db.connection import writing
from models.db.sql import execute, insert_rows
from models.ledger import LedgerEntry, LedgerTransaction
from models.users import User
from services.shared.clock import MINUTE_MS, Millis
from services.shared.errors import AccountClosed, InsufficientBalance
from services.shared.money import Cents

LATEST_MS = 10 * MINUTE_MS
"""How much earlier than one with a lower id a transaction may be: clocks differ, and waits take time."""


class Account(StrEnum):
    """A player's three accounts, and those of the house, which have no balance row."""

    BALANCE = "balance"
    VAULT = "vault"
    SWEEPSTAKE = "sweepstake"
    HOUSE_BETS = "house.bets"
    HOUSE_BATTLES = "house.battles"
    """What the seats of open and locked battles have paid."""
    HOUSE_GRANTS = "house.grants"
    HOUSE_PAYMENTS = "house.payments"
    HOUSE_HELD = "house.held"
    HOUSE_BONUSES = "house.bonuses"
    HOUSE_AFFILIATES = "house.affiliates"
    HOUSE_REWARDS = "house.rewards"
    HOUSE_PRIZES = "house.prizes"
    HOUSE_SHIPPED = "house.shipped"
    HOUSE_ADJUSTMENTS = "house.adjustments"
    HOUSE_FORFEITED = "house.forfeited"
    """The coins that players gave up when they closed their accounts."""


class LedgerKind(StrEnum):
    """The reason for a transaction."""

    SPIN = "spin"
    OPENING = "opening"
    BATTLE_JOIN = "battle-join"
    BATTLE_LEAVE = "battle-leave"
    """The refund of a seat."""
    BATTLE_END = "battle-end"
    GRANT = "grant"
    """The first balance of a new account."""
    VAULT_LOCK = "vault-lock"
    VAULT_UNLOCK = "vault-unlock"
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"
    WITHDRAWAL_HELD = "withdrawal-held"
    WITHDRAWAL_RELEASED = "withdrawal-released"
    CODE_BONUS = "code-bonus"
    AFFILIATE_CLAIM = "affiliate-claim"
    REWARD = "reward"
    PRIZE_SALE = "prize-sale"
    PRIZE_SHIPPED = "prize-shipped"
    PRIZE_RETURNED = "prize-returned"
    ADJUSTMENT = "adjustment"
    ACCOUNT_CLOSED = "account-closed"


PLAYERS_ACCOUNTS = (Account.BALANCE, Account.VAULT, Account.SWEEPSTAKE)
"""Each has a column in ``users``, such as ``vault_cents``."""

CHANGE_BALANCES = """
UPDATE users SET
    balance_cents = balance_cents - :balance_taken + :balance_added,
    vault_cents = vault_cents - :vault_taken + :vault_added,
    sweepstake_cents = sweepstake_cents - :sweepstake_taken + :sweepstake_added,
    balance_version = balance_version + 1
WHERE id = :user_id
    AND closed_at_ms IS NULL
    AND balance_cents >= :balance_taken
    AND vault_cents >= :vault_taken
    AND sweepstake_cents >= :sweepstake_taken
"""

ADD_TO_BALANCES = """
UPDATE users SET balance_cents = balance_cents + :amount, balance_version = balance_version + 1
WHERE closed_at_ms IS NULL AND id IN (SELECT CAST(value AS BIGINT) FROM {rows}(:users) AS these)
"""

INSERT_TRANSACTION = """
INSERT INTO ledger_transactions (kind, created_at_ms) VALUES (:kind, :now) RETURNING id
"""

INSERT_ENTRIES = """
INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents) VALUES
"""


class Move(NamedTuple):
    """Coins that go from one account to another. A player's account is that of the posting's player."""

    amount: Cents
    source: Account
    target: Account


class Entry(NamedTuple):
    """What a transaction adds to an account, in cents, or takes from it if it is negative."""

    account: Account
    user_id: int | None
    """The player whose account it is; None for one of the house."""
    amount: int


def post(*, kind: LedgerKind, user_id: int, moves: Sequence[Move], now: Millis) -> int:
    """Write one ledger transaction and change the player's balances with it, all or nothing; return its id.

    An account must hold what is taken from it before anything is added, so no wager is paid from its own
    winnings. A closed account gets nothing: AccountClosed is raised. When two concurrent postings would
    take the same coin, one succeeds; the other raises InsufficientBalance and changes nothing. The
    transaction gets its id after the player's row is locked, so the ids of one player's transactions are in
    the order of the changes.
    """
    if any(move.amount <= 0 for move in moves):
        raise ValueError("a move must be of more than 0")
    with writing():
        _change_balances(user_id, moves)
        entries = [
            Entry(account, user_id if account in PLAYERS_ACCOUNTS else None, change)
            for amount, source, target in moves
            for account, change in ((source, -amount), (target, amount))
        ]
        return write(kind=kind, entries=entries, now=now)


def write(*, kind: LedgerKind, entries: Iterable[Entry], now: Millis) -> int:
    """Write a transaction whose balances the caller has changed; returns its id. Within ``writing()``.

    The amounts must sum to zero. Those of 0 are left out.
    """
    (transaction_id,) = execute(INSERT_TRANSACTION, {"kind": kind, "now": now}).fetchone()
    _insert(transaction_id, [entry for entry in entries if entry.amount])
    return int(transaction_id)


def grant(amount: Cents, *, user_ids: Sequence[int], now: Millis) -> None:
    """Write a ledger transaction for each of these players, who get so many coins from the house's grants.

    All or nothing. Raises AccountClosed.
    """
    with writing():
        values = {"amount": amount, "users": json.dumps(list(user_ids))}
        if execute(ADD_TO_BALANCES, values).rowcount < len(user_ids):
            raise AccountClosed
        kinds = [(LedgerKind.GRANT, now) for _ in user_ids]
        written = insert_rows(LedgerTransaction, ("kind", "created_at_ms"), kinds, then="RETURNING id")
        entries: list[tuple[int, Account, int | None, int]] = []
        for (transaction_id,), user_id in zip(written.fetchall(), user_ids, strict=True):
            entries.append((transaction_id, Account.HOUSE_GRANTS, None, -amount))
            entries.append((transaction_id, Account.BALANCE, user_id, amount))
        insert_rows(LedgerEntry, ("transaction_id", "account", "user_id", "amount_cents"), entries)


def _insert(transaction_id: int, entries: Sequence[Entry]) -> None:
    """Write entries of a transaction, all in one statement."""
    if not entries:
        return
    values: dict[str, Any] = {"transaction_id": transaction_id}
    for number, entry in enumerate(entries):
        values |= {f"{name}_{number}": value for name, value in entry._asdict().items()}
    rows = (f"(:transaction_id, :account_{n}, :user_id_{n}, :amount_{n})" for n in range(len(entries)))
    execute(INSERT_ENTRIES + ", ".join(rows), values)


def _change_balances(user_id: int, moves: Sequence[Move]) -> None:
    """Change the accounts of the player that the moves name, if any.

    Raises InsufficientBalance, and AccountClosed.
    """
    added, taken = Counter[str](), Counter[str]()
    for amount, source, target in moves:
        taken[source] += amount
        added[target] += amount
    if (added.keys() | taken.keys()).isdisjoint(PLAYERS_ACCOUNTS):
        return
    values = {"user_id": user_id}
    for account in PLAYERS_ACCOUNTS:
        values |= {f"{account}_added": added[account], f"{account}_taken": taken[account]}
    if not execute(CHANGE_BALANCES, values).rowcount:
        is_closed = User.select().where(User.id == user_id, User.closed_at_ms.is_null(False)).exists()
        raise AccountClosed if is_closed else InsufficientBalance


def last_id_before(at: Millis) -> int:
    """An id below those of all transactions since a time; few of the transactions above it are earlier.

    To be used within ``reading()``.
    """
    row = LedgerTransaction
    newest: Any = row.select(row.id).order_by(row.id.desc()).limit(1)
    low, high = 0, newest.scalar() or 0
    while low < high:
        middle = (low + high) // 2
        following: Any = (
            row.select(row.id, row.created_at_ms).where(row.id > middle).order_by(row.id).limit(1)
        )
        found = following.tuples().first()
        if found is not None and found[1] < at - LATEST_MS:
            low = found[0]
        else:
            high = middle
    return int(low)
