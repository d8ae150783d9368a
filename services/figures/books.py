"""The books of a period, as an accountant keeps them: one transaction for each day and kind.

In the ledger an amount is what an account gets. Here debits are positive and credits negative, so every sign
is the other one: assets and expenses are positive, liabilities and income negative. Days are in UTC.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from models.db.connection import repeatable_read
from models.db.sql import execute
from services.accounts import users
from services.ledger.posting import Account, last_id_before
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents

ASSETS, LIABILITIES, INCOME, EXPENSES, EQUITY = "Assets", "Liabilities", "Income", "Expenses", "Equity"

PLAYERS = f"{LIABILITIES}:Players"

NAMES: Mapping[str, str] = {
    Account.BALANCE: f"{PLAYERS}:Balances",
    Account.VAULT: f"{PLAYERS}:Vaults",
    Account.SWEEPSTAKE: f"{PLAYERS}:Sweepstake",
    Account.HOUSE_BATTLES: f"{LIABILITIES}:Battles",
    Account.HOUSE_HELD: f"{LIABILITIES}:Withdrawals",
    Account.HOUSE_PRIZES: f"{LIABILITIES}:Prizes",
    Account.HOUSE_PAYMENTS: f"{ASSETS}:Payments",
    Account.HOUSE_FORFEITED: f"{INCOME}:Forfeited",
    Account.HOUSE_GRANTS: f"{EXPENSES}:Grants",
    Account.HOUSE_BONUSES: f"{EXPENSES}:Bonuses",
    Account.HOUSE_AFFILIATES: f"{EXPENSES}:Affiliates",
    Account.HOUSE_REWARDS: f"{EXPENSES}:Rewards",
    Account.HOUSE_ADJUSTMENTS: f"{EXPENSES}:Adjustments",
    # What was bought to be shipped is not in these books.
    Account.HOUSE_SHIPPED: f"{EQUITY}:Shipped-Prizes",
}
"""The accounts of the books. Those of bets are ``Income:Bets`` with the game."""

BETS = f"{INCOME}:Bets"
HOUSE = f"{EQUITY}:House"
"""The other side of a player's own books."""

# By the kind of the transaction: openings by the game of the bet, which is known by the transaction alone.
GAME_OF_KIND = """
CASE kind WHEN 'spin' THEN 'upgrader'
    WHEN 'opening' THEN (
        SELECT MIN(game) FROM bets WHERE bets.ledger_transaction_id = ledger_transactions.id
    )
    ELSE 'battle'
END
"""
SUMS = f"""
SELECT day, kind, account, game, SUM(amount_cents) FROM (
    SELECT created_at_ms / {DAY_MS} AS day, kind, account, amount_cents,
        CASE WHEN account = '{Account.HOUSE_BETS}' THEN {GAME_OF_KIND} END AS game
    FROM ledger_transactions
        JOIN ledger_entries ON ledger_entries.transaction_id = ledger_transactions.id
    WHERE ledger_transactions.id > :after AND created_at_ms >= :first AND created_at_ms < :end
        AND (:user_id IS NULL OR user_id = :user_id)
) AS entries
GROUP BY day, kind, account, game
ORDER BY day, kind, account, game
"""  # noqa: S608  # constants


class Posting(NamedTuple):
    """An amount of an account, in cents; credits are below 0."""

    account: str
    amount: Cents


@dataclass(frozen=True)
class Entry:
    """The transactions of one kind on one day, as one whose postings sum to zero."""

    day: date
    kind: str
    postings: Sequence[Posting]


@dataclass(frozen=True)
class Books:
    """The books from the first day to the last one, both included."""

    first: date
    last: date
    opening: Mapping[str, Cents]
    """What each account had before the first day. The sum is 0."""
    entries: Sequence[Entry]

    @property
    def closing(self) -> dict[str, Cents]:
        """What each account has after the last day, also those that have nothing."""
        found = defaultdict[str, int](int, self.opening)
        for entry in self.entries:
            for account, amount in entry.postings:
                found[account] += amount
        return {account: Cents(found[account]) for account in sorted(found)}

    def changes(self, account: str) -> Cents:
        """What an account, with those below it, has got in the period; credits are below 0."""
        return Cents(
            sum(
                posting.amount
                for entry in self.entries
                for posting in entry.postings
                if posting.account == account or posting.account.startswith(f"{account}:")
            )
        )


def read(first: date, last: date, *, platform_id: str | None = None) -> Books:
    """The books of these days, of all players or of the player with this id. Raises UserNotFound.

    In a player's own books ``Equity:House`` is the other side of every transaction.
    """
    user_id = None if platform_id is None else users.get(platform_id=platform_id).id
    start, end = _start_ms(first), _start_ms(last + timedelta(days=1))
    with repeatable_read():
        before = _sums(Millis(0), start, user_id=user_id, after=0)
        during = _sums(start, end, user_id=user_id, after=last_id_before(start))
    opening = defaultdict[str, int](int)
    for sums in before.values():
        for account, amount in sums.items():
            opening[account] += amount
    entries = [
        Entry(day, kind, [Posting(account, Cents(amount)) for account, amount in sums.items() if amount])
        for (day, kind), sums in during.items()
    ]
    return Books(first, last, {account: Cents(opening[account]) for account in sorted(opening)}, entries)


def _sums(
    first: Millis, end: Millis, *, user_id: int | None, after: int
) -> dict[tuple[date, str], dict[str, int]]:
    """The sums of the accounts by day and kind of the transactions from ``first`` on and before ``end``."""
    values = {"first": first, "end": end, "user_id": user_id, "after": after}
    found: dict[tuple[date, str], dict[str, int]] = {}
    for day, kind, account, game, cents in execute(SUMS, values).fetchall():
        key = date(1970, 1, 1) + timedelta(days=int(day)), str(kind)
        sums = found.setdefault(key, defaultdict(int))
        sums[_name(account, game)] -= int(cents)
        if user_id is not None:
            sums[HOUSE] += int(cents)
    return found


def _name(account: str, game: str | None) -> str:
    """The name in the books of an account of the ledger. Raises KeyError for one that has none."""
    return f"{BETS}:{(game or 'other').capitalize()}" if account == Account.HOUSE_BETS else NAMES[account]


def _start_ms(day: date) -> Millis:
    return Millis(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000)
