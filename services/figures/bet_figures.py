"""Sums over bets: what they paid, and what their chances promise."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

from models.db.sql import execute
from models.figures import PRICE_CLASS
from services.bets.cases import expectation_of
from services.bets.rolls import ROLL_RANGE
from services.bets.snapshots import Content
from services.shared.clock import DAY_MS, Millis
from services.shared.money import NO_COINS, Cents


@dataclass(frozen=True)
class BetFigures:
    """Sums over bets. ``expected`` is the mean of what they pay, in cents, ``variance`` in cents squared."""

    bets: int = 0
    wagered: Cents = NO_COINS
    paid: Cents = NO_COINS
    expected: float = 0.0
    variance: float = 0.0
    largest: Cents = NO_COINS
    """The most that one of them could pay."""

    def __add__(self, other: "BetFigures") -> "BetFigures":
        return BetFigures(
            self.bets + other.bets,
            Cents(self.wagered + other.wagered),
            Cents(self.paid + other.paid),
            self.expected + other.expected,
            self.variance + other.variance,
            max(self.largest, other.largest),
        )

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


def sum_of(many: Iterable[BetFigures]) -> BetFigures:
    """The sums of all. Of thousands it takes a tenth of the time of adding one by one."""
    rows = [(each.bets, each.wagered, each.paid, each.expected, each.variance, each.largest) for each in many]
    if not rows:
        return BetFigures()
    *summed, largest = zip(*rows, strict=True)
    bets, wagered, paid, expected, variance = map(sum, summed)
    return BetFigures(bets, Cents(wagered), Cents(paid), expected, variance, max(largest))


class GroupedBets(NamedTuple):
    """The bets of a day with the same game, snapshot and class of price."""

    day: Millis
    game: str
    snapshot_id: int | None
    """None for spins."""
    price_class: str
    bets: int
    wagered: Cents
    paid: Cents
    expected: float | None
    """Of spins."""
    variance: float | None
    """Of spins."""
    largest: int | None
    """Of spins."""

    def sums(self, content_of: Callable[[int], Content | None]) -> BetFigures:
        """The sums, by the contents of the opened cases. Without one, nothing is expected."""
        amounts = self.bets, Cents(int(self.wagered)), Cents(int(self.paid))
        if self.snapshot_id is None:
            assert self.expected is not None and self.variance is not None  # noqa: S101, PT018  # for mypy
            return BetFigures(*amounts, self.expected, self.variance, Cents(self.largest or 0))
        content = content_of(self.snapshot_id)
        if content is None:
            return BetFigures(*amounts)
        of_case = expectation_of(content)
        expected, variance = of_case.mean_cents, of_case.variance_square_cents
        largest = max(item.price_cents for item in content.items)
        return BetFigures(*amounts, self.bets * expected, self.bets * variance, Cents(largest))


# Chances first: the square of a price may exceed 64 bits. Quotients of whole numbers are whole on both
# databases.
_CHANCE = f"(CAST(threshold AS DOUBLE PRECISION) / {ROLL_RANGE})"
GROUPED = f"""
SELECT created_at_ms / {DAY_MS} * {DAY_MS}, game, snapshot_id, {PRICE_CLASS},
    COUNT(*), SUM(wager_cents), SUM(payout_cents),
    SUM({_CHANCE} * price_cents),
    SUM({_CHANCE} * (1 - {_CHANCE}) * price_cents * price_cents),
    MAX(price_cents)
FROM {{bets}}
GROUP BY 1, 2, 3, 4
"""  # noqa: S608  # constants

# Battles have figures of their own (services/figures/battle_figures.py).
PAID_BETS = "bets WHERE wager_cents > 0 AND nonce > 0"
# Those that do not wait for the public log.
APPENDED_BETS = """bets WHERE nonce > 0 AND NOT EXISTS (
    SELECT 1 FROM log_waiting_bets WHERE log_waiting_bets.bet_id = bets.id
)"""
THESE_BETS = "{pairs}(:bets) AS these CROSS JOIN bets WHERE bets.id = CAST(these.key AS BIGINT)"


def grouped(source: str, **values: Any) -> Iterable[GroupedBets]:
    """Group some bets: those of one of the constants above. To be used within ``reading()``."""
    return map(GroupedBets._make, execute(GROUPED.replace("{bets}", source), values))
