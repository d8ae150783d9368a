"""Audits the totals: recomputes every sum and count from the bets and payments."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import peewee
from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.db.connection import Table
from models.payments import Payment
from models.totals import LIVE_BET_SHARDS, LiveBetCount, PaymentTotals, PeriodWager
from models.users import User
from services.shared.clock import DAY_MS, Millis, Period

Row = tuple[Any, ...]
"""The values of one row, in the order of the table's columns."""


def problems() -> Iterator[str]:
    """A line for each wrong total, in the caller's snapshot (ids and times only, never amounts)."""
    for user_id, _, _ in wrong_totals_of_play():
        yield f"the totals of play of {_platform_id(user_id)} differ from the bets"
    for table, expected_rows in EXPECTED_ROWS.items():
        stored = set(table.select().tuples().iterator())
        # This includes rows that are missing and rows that should not exist.
        yield from sorted({_problem(table, row) for row in stored ^ expected_rows()})


def _problem(table: type[Table], row: Row) -> str:
    if table is PeriodWager:
        period, start, user_id, _ = row
        return f"the {period} wager of {_platform_id(user_id)} since {start} differs from the bets"
    if table is LiveBetCount:
        return f"the live bet counts of shard {row[0]} differ from the bets"
    return f"the payment totals of {_platform_id(row[0])} differ from the payments"


def _platform_id(user_id: int) -> str:
    return str(User.select(User.platform_id).where(User.id == user_id).scalar())


def wrong_totals_of_play() -> list[tuple[int, int, int]]:
    """The players whose totals differ from their bets: id, and the correct wagered and earned cents."""
    sums = (
        Bet.select(
            Bet.user,
            fn.SUM(Bet.wager_cents).alias("wagered"),
            fn.SUM(Bet.payout_cents).alias("earned"),
        )
        .group_by(Bet.user)
        .alias("sums")
    )
    wagered, earned = fn.COALESCE(sums.c.wagered, 0), fn.COALESCE(sums.c.earned, 0)
    query: Any = (
        User.select(User.id, wagered, earned)
        .join(sums, peewee.JOIN.LEFT_OUTER, on=(sums.c.user_id == User.id))
        .where((User.wagered_cents != wagered) | (User.earned_cents != earned))
    )
    return [(user_id, int(wagered), int(earned)) for user_id, wagered, earned in query.tuples()]


def _period_wagers() -> set[Row]:
    day = Bet.created_at_ms / DAY_MS
    # Free openings have no wager, and add no row.
    wagers = Bet.select(Bet.user, day, fn.SUM(Bet.wager_cents)).where(Bet.wager_cents > 0)
    days = wagers.group_by(Bet.user, day)
    wagered: dict[Row, int] = defaultdict(int)
    # Weeks and months begin with a day, so sums by day are enough.
    for user_id, number, cents in days.tuples().iterator():
        for period in Period:
            wagered[period, period.start(Millis(number * DAY_MS)), user_id] += int(cents)
    return {(*key, cents) for key, cents in wagered.items()}


def _live_bet_counts() -> set[Row]:
    # Without the operator %, which psycopg2 takes for a parameter.
    shard = Bet.user - Bet.user / LIVE_BET_SHARDS * LIVE_BET_SHARDS
    high_rolls = fn.SUM(peewee.Case(None, [(HIGH_ROLL, 1)], 0))
    return _numbers(Bet.select(shard, fn.COUNT(Bet.id), high_rolls).group_by(shard))


def _payment_totals() -> set[Row]:
    def count_and_sum(kind: str) -> tuple[Any, Any]:
        is_kind = Payment.type == kind
        return (
            fn.SUM(peewee.Case(None, [(is_kind, 1)], 0)),
            fn.SUM(peewee.Case(None, [(is_kind, Payment.usd_cents)], 0)),
        )

    columns = (Payment.user, *count_and_sum("deposit"), *count_and_sum("withdraw"))
    return _numbers(Payment.select(*columns).group_by(Payment.user))


def _numbers(query: Any) -> set[Row]:
    # PostgreSQL's sums are decimals.
    return {tuple(map(int, row)) for row in query.tuples().iterator()}


EXPECTED_ROWS: dict[type[Table], Callable[[], set[Row]]] = {
    PeriodWager: _period_wagers,
    LiveBetCount: _live_bet_counts,
    PaymentTotals: _payment_totals,
}
"""For each table the rows that it must hold, computed from the bets and payments."""
