"""What the sums and counts of models/rollups.py must be, from the bets and payments themselves."""

from collections import defaultdict
from typing import Any

import peewee
from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.payments import Payment
from models.rollups import LIVE_BET_SHARDS
from models.users import User
from services.clock import Millis
from services.periods import Period

DAY_MS = 24 * 3600 * 1000


def wrong_totals_of_play() -> list[tuple[int, int, int]]:
    """The players whose own totals are others than these: id, wagered and earned cents."""
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


def period_wagers() -> dict[tuple[str, int, int], int]:
    """Cents by period, its start, and player."""
    day = Bet.created_at_ms / DAY_MS
    days = Bet.select(Bet.user, day, fn.SUM(Bet.wager_cents)).group_by(Bet.user, day)
    wagered: dict[tuple[str, int, int], int] = defaultdict(int)
    # Weeks and months begin with a day; which days they are is asked of the code that spins ask.
    for user_id, number, cents in days.tuples().iterator():
        for period in Period:
            wagered[period, period.start(Millis(number * DAY_MS)), user_id] += int(cents)
    return wagered


def live_bet_counts() -> dict[int, tuple[int, ...]]:
    """By shard: bets, and high rolls among them."""
    # Not by the remainder, which the two databases write differently.
    shard = Bet.user - Bet.user / LIVE_BET_SHARDS * LIVE_BET_SHARDS
    high_rolls = fn.SUM(peewee.Case(None, [(HIGH_ROLL, 1)], 0))
    return by_first_column(Bet.select(shard, fn.COUNT(Bet.id), high_rolls).group_by(shard))


def payment_totals() -> dict[int, tuple[int, ...]]:
    """By player: deposits and their cents, withdrawals and theirs."""

    def sums(kind: str) -> tuple[Any, Any]:
        of_kind = Payment.type == kind
        return (
            fn.SUM(peewee.Case(None, [(of_kind, 1)], 0)),
            fn.SUM(peewee.Case(None, [(of_kind, Payment.usd_cents)], 0)),
        )

    return by_first_column(
        Payment.select(Payment.user, *sums("deposit"), *sums("withdraw")).group_by(Payment.user)
    )


def by_first_column(query: Any) -> dict[int, tuple[int, ...]]:
    """Rows of numbers by the first of each."""
    return {key: tuple(map(int, values)) for key, *values in query.tuples().iterator()}
