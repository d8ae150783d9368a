"""Audit of the ledger: transactions sum to zero, and balances, payments and bets equal their entries."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import peewee
from peewee import fn

from models.bets import Bet
from models.db.sql import execute
from models.ledger import LedgerEntry, LedgerTransaction
from models.payments import PaymentRecord
from models.users import User
from services.ledger.posting import PLAYERS_ACCOUNTS, Account, LedgerKind


class Ids(NamedTuple):
    """The transactions from ``first`` to ``last``."""

    first: int
    last: int

    def have(self, column: Any) -> Any:
        """A condition: this column has one of the ids."""
        return column.between(self.first, self.last)


ALL = Ids(-(2**62), 2**62)


def mismatches() -> Iterator[str]:
    """A line for each unbalanced or empty transaction, wrong balance, payment and bet."""
    yield from transaction_mismatches(ALL)
    for account in PLAYERS_ACCOUNTS:
        posted = (
            LedgerEntry.select(LedgerEntry.user, fn.SUM(LedgerEntry.amount_cents).alias("number"))
            .where(LedgerEntry.account == account, LedgerEntry.user.is_null(False))
            .group_by(LedgerEntry.user)
        )
        for player in differing(User.select(User.platform_id), getattr(User, f"{account}_cents"), posted):
            yield f"the {account} of {player} differs from its entries"


def transaction_mismatches(ids: Ids) -> Iterator[str]:
    """A line for each of these transactions that is unbalanced, empty, or differs from its payment or bet."""
    unbalanced = (
        LedgerEntry.select(LedgerEntry.transaction)
        .where(ids.have(LedgerEntry.transaction))
        .group_by(LedgerEntry.transaction)
        .having(fn.SUM(LedgerEntry.amount_cents) != 0)
    )
    for transaction_id in unbalanced.scalars():
        yield f"transaction {transaction_id} does not sum to zero"
    for transaction_id in _empty_transactions(ids).scalars():
        yield f"transaction {transaction_id} has no entries"
    for (transaction_id,) in _wrong_payments(ids).tuples():
        yield f"transaction {transaction_id} differs from its payment"
    for transaction_id in _wrong_bets(ids).scalars():
        yield f"transaction {transaction_id} differs from its bet"
    for (transaction_id,) in execute(WRONG_ENDS, ids._asdict()):
        yield f"transaction {transaction_id} differs from its battle"


def differing(players: peewee.Select, stored: peewee.ColumnBase, source: peewee.Select) -> Iterator[str]:
    """The ids of the players whose stored number is not the source's, or not 0 without a row there."""
    found = source.alias("found")
    query = players.join(found, peewee.JOIN.LEFT_OUTER, on=(found.c.user_id == User.id))
    yield from query.where(stored != fn.COALESCE(found.c.number, 0)).scalars()


def _is_of_house(account: Account, ids: Ids) -> Any:
    """A condition: an entry is of an account of the house, and of one of these transactions."""
    is_of_account = LedgerEntry.account == account
    # For all transactions the index by account is best, for some of them that by transaction.
    return is_of_account & (LedgerEntry.user.is_null() if ids is ALL else ids.have(LedgerEntry.transaction))


def _empty_transactions(ids: Ids) -> peewee.Select:
    """Only the transaction of a free opening that paid nothing has no entries."""
    is_empty_bet = (Bet.wager_cents == 0) & (Bet.payout_cents == 0)
    return (
        LedgerTransaction.select(LedgerTransaction.id)
        .join(LedgerEntry, peewee.JOIN.LEFT_OUTER)
        .switch(LedgerTransaction)
        .join(Bet, peewee.JOIN.LEFT_OUTER, on=(Bet.ledger_transaction == LedgerTransaction.id) & is_empty_bet)
        .where(LedgerEntry.id.is_null(), Bet.id.is_null(), ids.have(LedgerTransaction.id))
    )


def _wrong_payments(ids: Ids) -> peewee.CompoundSelectQuery:
    """Each deposit and withdrawal in the ledger has a payment, with the same player and amount.

    The coins of a withdrawal that a player has requested come from ``house.held``.
    """
    coins = peewee.Case(
        PaymentRecord.type, [("deposit", PaymentRecord.usd_cents)], PaymentRecord.usd_cents * -1
    )
    posted = (
        LedgerEntry.select(LedgerEntry.transaction)
        .join(
            PaymentRecord,
            peewee.JOIN.LEFT_OUTER,
            on=(PaymentRecord.ledger_transaction == LedgerEntry.transaction),
        )
        .where(_is_of_house(Account.HOUSE_PAYMENTS, ids))
        .where(LedgerEntry.amount_cents != fn.COALESCE(coins * -1, 0))
    )
    house, own = LedgerEntry.alias("house"), LedgerEntry.alias("own")
    of_house = (house.account == Account.HOUSE_PAYMENTS) & (house.amount_cents == coins * -1)
    is_own = (own.user == PaymentRecord.user) & (own.account == Account.BALANCE)
    is_held = own.user.is_null() & (own.account == Account.HOUSE_HELD)
    of_player = (is_own | is_held) & (own.amount_cents == coins)
    paid = (
        PaymentRecord.select(PaymentRecord.ledger_transaction)
        .join(
            house,
            peewee.JOIN.LEFT_OUTER,
            on=(house.transaction == PaymentRecord.ledger_transaction) & of_house,
        )
        .switch(PaymentRecord)
        .join(
            own, peewee.JOIN.LEFT_OUTER, on=(own.transaction == PaymentRecord.ledger_transaction) & of_player
        )
        .where(house.id.is_null() | own.id.is_null(), ids.have(PaymentRecord.ledger_transaction))
    )
    return posted | paid


def _wrong_bets(ids: Ids) -> peewee.Select:
    """The house got the wager of each bet, and paid the payout. Of battles, see WRONG_ENDS."""
    got = (
        LedgerEntry.select(LedgerEntry.transaction, fn.SUM(LedgerEntry.amount_cents).alias("cents"))
        .where(_is_of_house(Account.HOUSE_BETS, ids))
        .group_by(LedgerEntry.transaction)
        .alias("got")
    )
    return (
        Bet.select(Bet.ledger_transaction)
        .join(got, peewee.JOIN.LEFT_OUTER, on=(got.c.transaction_id == Bet.ledger_transaction))
        .where(Bet.wager_cents - Bet.payout_cents != fn.COALESCE(got.c.cents, 0))
        .where(ids.have(Bet.ledger_transaction), Bet.nonce > 0)
    )


# The end of a battle takes what its seats have paid from the escrow. What a bet has paid is an entry of its
# player. The rest goes to or comes from the house, because the transaction sums to zero.
WRONG_ENDS = f"""
WITH ends AS MATERIALIZED (
    SELECT transactions.id, battles.id AS battle_id,
        SUM(CASE WHEN account = '{Account.HOUSE_BATTLES}' THEN amount_cents ELSE 0 END) AS escrow_cents,
        SUM(CASE WHEN account = '{Account.BALANCE}' THEN amount_cents ELSE 0 END) AS shares_cents,
        SUM(CASE WHEN account NOT IN ('{Account.HOUSE_BATTLES}', '{Account.BALANCE}', '{Account.HOUSE_BETS}')
            THEN 1 ELSE 0 END) AS others
    FROM ledger_transactions AS transactions
        LEFT JOIN battles ON battles.ledger_transaction_id = transactions.id
        LEFT JOIN ledger_entries ON ledger_entries.transaction_id = transactions.id
    WHERE transactions.id BETWEEN :first AND :last
        AND (transactions.kind = '{LedgerKind.BATTLE_END}' OR battles.id IS NOT NULL)
    GROUP BY transactions.id, battles.id
), bets_of_ends AS MATERIALIZED (
    SELECT bets.ledger_transaction_id AS id, SUM(bets.payout_cents) AS paid_cents,
        SUM(CASE WHEN bets.payout_cents = COALESCE(own.amount_cents, 0)
            AND bets.wager_cents = battles.cost_cents THEN 0 ELSE 1 END) AS wrong
    FROM bets
        LEFT JOIN battle_seats AS seats ON seats.bet_id = bets.id
        LEFT JOIN battles
            ON battles.id = seats.battle_id AND battles.ledger_transaction_id = bets.ledger_transaction_id
        LEFT JOIN ledger_entries AS own ON own.transaction_id = bets.ledger_transaction_id
            AND own.user_id = bets.user_id AND own.account = '{Account.BALANCE}'
    WHERE bets.ledger_transaction_id BETWEEN :first AND :last AND bets.nonce < 0
    GROUP BY bets.ledger_transaction_id
)
SELECT ends.id
FROM ends
    JOIN ledger_transactions AS transactions ON transactions.id = ends.id
    LEFT JOIN battles ON battles.id = ends.battle_id
    LEFT JOIN bets_of_ends AS found ON found.id = ends.id
WHERE battles.id IS NULL OR transactions.kind <> '{LedgerKind.BATTLE_END}' OR ends.others > 0
    OR ends.shares_cents <> COALESCE(found.paid_cents, 0) OR COALESCE(found.wrong, 0) > 0
    OR ends.escrow_cents <> -battles.cost_cents * (
        SELECT COUNT(*) FROM battle_seats
        WHERE battle_seats.battle_id = battles.id AND battle_seats.left_at_ms IS NULL
    )
UNION
SELECT id FROM bets_of_ends WHERE id NOT IN (SELECT id FROM ends)
ORDER BY 1
"""  # noqa: S608  # constants
