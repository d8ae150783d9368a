"""Wagers, payouts and gross gaming revenue of a period, with what the chances of the bets promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from models.db.connection import reading
from models.db.sql import execute
from services.figures.bet_figures import BetFigures, sum_of
from services.shared.clock import Millis, iso_date
from services.shared.money import Cents

DEVIATIONS = 3.2905
"""How many standard deviations hold 99.9 % of a normal distribution."""


NO_BETS = BetFigures()


class Group(StrEnum):
    """What the bets of a line have in common."""

    DAY = "day"
    GAME = "game"
    CASE = "case"
    PRICE = "price"


class Band(NamedTuple):
    """Where a return to player is in 99.9 % of the time."""

    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """Sums over bets with a wager, and those over free openings."""

    paid_for: BetFigures = NO_BETS
    free: BetFigures = NO_BETS

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(self.paid_for + other.paid_for, self.free + other.free)

    @property
    def bets(self) -> int:
        """All bets, free openings included."""
        return self.paid_for.bets + self.free.bets

    @property
    def wagered(self) -> Cents:
        return self.paid_for.wagered

    @property
    def paid(self) -> Cents:
        """All payouts, those of free openings included."""
        return Cents(self.paid_for.paid + self.free.paid)

    @property
    def revenue(self) -> Cents:
        """The gross gaming revenue: wagers less payouts."""
        return Cents(self.wagered - self.paid)

    @property
    def expected_revenue(self) -> Cents:
        """The mean of the gross gaming revenue, by the chances of the bets, to the cent."""
        return Cents(round(self.wagered - self.paid_for.expected - self.free.expected))

    @property
    def return_to_player(self) -> float | None:
        """The coins paid for each coin wagered, without free openings; None without a wager."""
        return self.paid_for.return_to_player if self.wagered else None

    @property
    def expected_return(self) -> float | None:
        """Its mean, by the chances of the bets."""
        return self.paid_for.expected_return if self.wagered else None

    @property
    def band(self) -> Band | None:
        """Where a fair return to player is in 99.9 % of the time; for few bets only about."""
        if not self.wagered:
            return None
        mean, width = self.paid_for.expected_return, DEVIATIONS * self.paid_for.standard_error
        return Band(max(mean - width, 0.0), mean + width)

    @property
    def is_in_band(self) -> bool:
        """Whether the return to player is within its band, or there is none."""
        if self.band is None or self.return_to_player is None:
            return True
        return self.band.low <= self.return_to_player <= self.band.high


class Line(NamedTuple):
    """The figures of the bets with these values of the groups."""

    group: tuple[str, ...]
    figures: Figures


COLUMNS = {
    Group.DAY: "day_starts_at_ms",
    Group.GAME: "game",
    Group.CASE: "case_id",
    Group.PRICE: "price_class",
}
# Written by hand: there may be ten thousands of lines. The bets of one row all have a wager, or none of them.
SUMS = """
SELECT {columns} wagered_cents > 0, CAST(SUM(bets) AS BIGINT), CAST(SUM(wagered_cents) AS BIGINT),
    CAST(SUM(paid_cents) AS BIGINT), SUM(expected_cents), SUM(variance_square_cents), MAX(largest_cents)
FROM daily_figures
WHERE day_starts_at_ms >= :since AND day_starts_at_ms < :until
    AND (:game IS NULL OR game = :game)
    AND (:case_id IS NULL OR case_id = :case_id)
    AND (:price_class IS NULL OR price_class = :price_class)
GROUP BY {columns} wagered_cents > 0
"""


@reading()
def lines(
    *,
    since: Millis,
    until: Millis,
    groups: Sequence[Group],
    game: str | None = None,
    case_id: str | None = None,
    price_class: str | None = None,
) -> list[Line]:
    """A line for each group of the bets of the days from ``since`` to before ``until``, in their order.

    ``game``, ``case_id`` and ``price_class`` leave out all others.
    """
    text = SUMS.replace("{columns}", "".join(f"{COLUMNS[each]}, " for each in groups))
    wanted = {"game": game, "case_id": case_id, "price_class": price_class}
    found: dict[tuple[str, ...], Figures] = {}
    name_of_day = cache(iso_date)
    names = [name_of_day if each is Group.DAY else str for each in groups]
    for values in execute(text, {"since": since, "until": until, **wanted}):
        group = tuple(name(value) for name, value in zip(names, values, strict=False))
        has_wager, *sums = values[len(groups) :]
        figures = Figures(paid_for=BetFigures(*sums)) if has_wager else Figures(free=BetFigures(*sums))
        found[group] = found[group] + figures if group in found else figures
    return [Line(group, found[group]) for group in sorted(found)]


def total(found: Sequence[Line]) -> Figures:
    """The figures of all lines."""
    return Figures(
        paid_for=sum_of(line.figures.paid_for for line in found),
        free=sum_of(line.figures.free for line in found),
    )
