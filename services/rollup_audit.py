"""Proving the rollups: every sum and count equals what it sums and counts."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeVar

import peewee
from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.payments import Payment
from models.rollups import LIVE_BET_SHARDS, LiveBetCount, PaymentTotals, PeriodWager
from models.users import User
from services.clock import Millis
from services.periods import Period

DAY_MS = 24 * 3600 * 1000

Key = TypeVar("Key", bound=Hashable)


def problems() -> Iterator[str]:
    """A line for each rollup that is wrong, in the caller's snapshot (ids and times only, never amounts)."""
    yield from _wrong_totals_of_play()
    yield from _wrong_counts_of_play()
    yield from _wrong_period_wagers()
    yield from _wrong_live_bet_counts()
    yield from _wrong_payment_totals()


def _wrong_totals_of_play() -> Iterator[str]:
    sums = (
        Bet.select(
            Bet.user,
            fn.SUM(Bet.wager_cents).alias("wagered"),
            fn.SUM(Bet.payout_cents).alias("earned"),
        )
        .group_by(Bet.user)
        .alias("sums")
    )
    query = (
        User.select(User.platform_id)
        .join(sums, peewee.JOIN.LEFT_OUTER, on=(sums.c.user_id == User.id))
        .where(
            (User.wagered_cents != fn.COALESCE(sums.c.wagered, 0))
            | (User.earned_cents != fn.COALESCE(sums.c.earned, 0))
        )
    )
    for platform_id in query.scalars():
        yield f"the totals of play of {platform_id} differ from the bets"


def _wrong_counts_of_play() -> Iterator[str]:
    """Lists take a player's newest nonce for the number of bets, and a page for a range of nonces."""
    query = Bet.select(Bet.user).group_by(Bet.user).having(fn.COUNT(Bet.id) != fn.MAX(Bet.nonce))
    for user_id in query.scalars():
        yield f"the bets of {_platform_id(user_id)} are not as many as their nonces say"


def _wrong_period_wagers() -> Iterator[str]:
    day = Bet.created_at_ms / DAY_MS
    days = Bet.select(Bet.user, day, fn.SUM(Bet.wager_cents)).group_by(Bet.user, day)
    wagered: dict[tuple[str, int, int], int] = defaultdict(int)
    # Weeks and months begin with a day; which days they are is asked of the code that spins ask.
    for user_id, number, cents in days.tuples().iterator():
        for period in Period:
            wagered[period, period.start(Millis(number * DAY_MS)), user_id] += int(cents)
    rows = PeriodWager.select(
        PeriodWager.period, PeriodWager.starts_at_ms, PeriodWager.user, PeriodWager.wagered_cents
    )
    kept = {(period, start, user_id): cents for period, start, user_id, cents in rows.tuples().iterator()}
    for period, start, user_id in _different(kept, wagered):
        yield f"the {period} wager of {_platform_id(user_id)} since {start} differs from the bets"


def _wrong_live_bet_counts() -> Iterator[str]:
    # Not by the remainder, which the two databases write differently.
    shard = Bet.user - Bet.user / LIVE_BET_SHARDS * LIVE_BET_SHARDS
    high_rolls = fn.SUM(peewee.Case(None, [(HIGH_ROLL, 1)], 0))
    counted = Bet.select(shard, fn.COUNT(Bet.id), high_rolls).group_by(shard)
    kept = LiveBetCount.select(LiveBetCount.shard, LiveBetCount.bets, LiveBetCount.high_rolls)
    for number in _different(_by_first_column(kept), _by_first_column(counted)):
        yield f"the live bet counts of shard {number} differ from the bets"


def _wrong_payment_totals() -> Iterator[str]:
    def sums(kind: str) -> tuple[Any, Any]:
        of_kind = Payment.type == kind
        return (
            fn.SUM(peewee.Case(None, [(of_kind, 1)], 0)),
            fn.SUM(peewee.Case(None, [(of_kind, Payment.usd_cents)], 0)),
        )

    counted = Payment.select(Payment.user, *sums("deposit"), *sums("withdraw")).group_by(Payment.user)
    kept = PaymentTotals.select(
        PaymentTotals.user,
        PaymentTotals.deposits,
        PaymentTotals.deposited_cents,
        PaymentTotals.withdraws,
        PaymentTotals.withdrawn_cents,
    )
    for user_id in _different(_by_first_column(kept), _by_first_column(counted)):
        yield f"the payment totals of {_platform_id(user_id)} differ from the payments"


def _by_first_column(query: Any) -> dict[int, tuple[int, ...]]:
    return {key: tuple(map(int, values)) for key, *values in query.tuples().iterator()}


def _different(kept: Mapping[Key, object], counted: Mapping[Key, object]) -> list[Key]:
    """The keys that one of the two lacks, or has another value for."""
    return sorted(
        (key for key in kept.keys() | counted.keys() if kept.get(key) != counted.get(key)), key=repr
    )


def _platform_id(user_id: int) -> str:
    return str(User.select(User.platform_id).where(User.id == user_id).scalar())
