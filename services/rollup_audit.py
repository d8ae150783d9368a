"""Proving the rollups: every sum and count equals what it sums and counts."""

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

from peewee import fn

from models.bets import Bet
from models.rollups import LiveBetCount, PaymentTotals, PeriodWager
from models.users import User
from services import rollup_sums
from services.rollup_sums import by_first_column

Key = TypeVar("Key", bound=Hashable)


def problems() -> Iterator[str]:
    """A line for each rollup that is wrong, in the caller's snapshot (ids and times only, never amounts)."""
    yield from _wrong_totals_of_play()
    yield from _wrong_counts_of_play()
    yield from _wrong_period_wagers()
    yield from _wrong_live_bet_counts()
    yield from _wrong_payment_totals()


def _wrong_totals_of_play() -> Iterator[str]:
    for user_id, _, _ in rollup_sums.wrong_totals_of_play():
        yield f"the totals of play of {_platform_id(user_id)} differ from the bets"


def _wrong_counts_of_play() -> Iterator[str]:
    """Lists take a player's newest nonce for the number of bets, and a page for a range of nonces."""
    query = Bet.select(Bet.user).group_by(Bet.user).having(fn.COUNT(Bet.id) != fn.MAX(Bet.nonce))
    for user_id in query.scalars():
        yield f"the bets of {_platform_id(user_id)} are not as many as their nonces say"


def _wrong_period_wagers() -> Iterator[str]:
    rows = PeriodWager.select(
        PeriodWager.period, PeriodWager.starts_at_ms, PeriodWager.user, PeriodWager.wagered_cents
    )
    kept = {(period, start, user_id): cents for period, start, user_id, cents in rows.tuples().iterator()}
    for period, start, user_id in _different(kept, rollup_sums.period_wagers()):
        yield f"the {period} wager of {_platform_id(user_id)} since {start} differs from the bets"


def _wrong_live_bet_counts() -> Iterator[str]:
    kept = LiveBetCount.select(LiveBetCount.shard, LiveBetCount.bets, LiveBetCount.high_rolls)
    for number in _different(by_first_column(kept), rollup_sums.live_bet_counts()):
        yield f"the live bet counts of shard {number} differ from the bets"


def _wrong_payment_totals() -> Iterator[str]:
    kept = PaymentTotals.select(
        PaymentTotals.user,
        PaymentTotals.deposits,
        PaymentTotals.deposited_cents,
        PaymentTotals.withdraws,
        PaymentTotals.withdrawn_cents,
    )
    for user_id in _different(by_first_column(kept), rollup_sums.payment_totals()):
        yield f"the payment totals of {_platform_id(user_id)} differ from the payments"


def _different(kept: Mapping[Key, object], counted: Mapping[Key, object]) -> list[Key]:
    """The keys that one of the two lacks, or has another value for."""
    return sorted(
        (key for key in kept.keys() | counted.keys() if kept.get(key) != counted.get(key)), key=repr
    )


def _platform_id(user_id: int) -> str:
    return str(User.select(User.platform_id).where(User.id == user_id).scalar())
