"""Sums of all bets over time: the coins paid for each coin wagered, and the mean by the chances."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from math import sqrt
from operator import add
from typing import Any

from peewee import SQL, fn

from models.bets import Bet
from models.db.connection import repeatable_read
from services.fairness.rolls import ROLL_RANGE
from services.maintenance.fairness_audit import intact_content
from services.openings.openable_cases import expectation_of
from services.shared.clock import DAY_MS, Millis
from services.shared.money import NO_COINS, Cents


@dataclass(frozen=True)
class BetSums:
    """Sums over bets. ``expected`` is the mean of what they pay, in cents, ``variance`` in cents squared."""

    bets: int = 0
    wagered: Cents = NO_COINS
    paid: Cents = NO_COINS
    expected: float = 0.0
    variance: float = 0.0

    def __add__(self, other: "BetSums") -> "BetSums":
        return BetSums(*map(add, astuple(self), astuple(other)))

    @property
    def return_to_player(self) -> float:
        """The coins paid for each coin wagered."""
        return self.paid / self.wagered

    @property
    def expected_return(self) -> float:
        """The mean of the return to player, by the chances of the bets."""
        return self.expected / self.wagered

    @property
    def standard_error(self) -> float:
        """The standard deviation of the return to player, by the chances of the bets."""
        return sqrt(self.variance) / self.wagered

    @property
    def deviations(self) -> float:
        """How many standard deviations the return to player is above its mean; 0 if it could not differ."""
        return (self.paid - self.expected) / sqrt(self.variance) if self.variance else 0.0


def sums_of_days() -> dict[Millis, BetSums]:
    """Sum the bets with a wager of each day in UTC, by its beginning, in one pass over their table.

    Days without bets and openings of the free case are left out. Raises OperatorError if the snapshot of an
    opening differs from its hash.
    """
    with repeatable_read():
        expectation = cache(lambda snapshot_id: expectation_of(intact_content(snapshot_id)))
        days: dict[Millis, BetSums] = {}
        for number, snapshot_id, bets, wagered, paid, *of_spins in _grouped_by_day():
            if snapshot_id is None:
                expected = of_spins
            else:
                of_case = expectation(snapshot_id)
                expected = [bets * of_case.mean_cents, bets * of_case.variance_square_cents]
            day = Millis(number * DAY_MS)
            sums = BetSums(bets, Cents(int(wagered)), Cents(int(paid)), *expected)
            days[day] = days.get(day, BetSums()) + sums
    return days


def _grouped_by_day() -> Iterable[Any]:
    """For each day and each snapshot, or none for spins: the number of bets and their sums.

    Those of what the bets were expected to pay are correct for spins only.
    """
    chance = Bet.threshold.cast("DOUBLE PRECISION") / ROLL_RANGE
    query: Any = (
        Bet.select(
            # Of whole numbers, and so a whole number on both databases.
            Bet.created_at_ms / DAY_MS,
            Bet.snapshot,
            fn.COUNT(Bet.id),
            fn.SUM(Bet.wager_cents),
            fn.SUM(Bet.payout_cents),
            fn.SUM(chance * Bet.price_cents),
            # Chances first: the square of a price may exceed 64 bits.
            fn.SUM(chance * (1 - chance) * Bet.price_cents * Bet.price_cents),
        )
        .where(Bet.wager_cents > 0)
        .group_by(SQL("1"), SQL("2"))
        .order_by(SQL("1"))
    )
    rows: Iterable[Any] = query.tuples().iterator()
    return rows
