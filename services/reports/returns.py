"""Wagers, payouts and gross gaming revenue of a period, with what the chances of the bets promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from peewee import fn

from models.daily_totals import DailyTotals
from models.db.connection import reading
from services.reports.bet_sums import BetSums
from services.shared.clock import Millis, iso_date
from services.shared.money import Cents

DEVIATIONS = 3.2905
"""How many standard deviations hold 99.9 % of a normal distribution."""


NO_BETS = BetSums()


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
    """Sums over bets with a wager, and those over openings of the free case."""

    paid_for: BetSums = NO_BETS
    free: BetSums = NO_BETS

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
    Group.DAY: DailyTotals.day_starts_at_ms,
    Group.GAME: DailyTotals.game,
    Group.CASE: DailyTotals.case_id,
    Group.PRICE: DailyTotals.price_class,
}


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
    row = DailyTotals
    wanted = [row.day_starts_at_ms.between(since, until - 1)]
    filters = ((row.game, game), (row.case_id, case_id), (row.price_class, price_class))
    wanted += [column == value for column, value in filters if value is not None]
    # The bets of one row all have a wager, or none of them.
    has_wager = row.wagered_cents > 0
    by = [*(COLUMNS[group] for group in groups), has_wager]
    query: Any = (
        row.select(
            *by,
            *(fn.SUM(column) for column in (row.bets, row.wagered_cents, row.paid_cents)),
            *(fn.SUM(column) for column in (row.expected_cents, row.variance_square_cents)),
            fn.MAX(row.largest_cents),
        )
        .where(*wanted)
        .group_by(*by)
    )
    found: dict[tuple[str, ...], Figures] = {}
    for values in query.tuples().iterator():
        group = tuple(map(_text, groups, values))
        is_paid_for, bets, wagered, paid, *of_chances = values[len(groups) :]
        sums = BetSums(int(bets), Cents(int(wagered)), Cents(int(paid)), *of_chances)
        figures = Figures(paid_for=sums) if is_paid_for else Figures(free=sums)
        found[group] = found.get(group, Figures()) + figures
    return [Line(group, found[group]) for group in sorted(found)]


def total(found: Sequence[Line]) -> Figures:
    """The figures of all lines."""
    return sum((line.figures for line in found), start=Figures())


def _text(group: Group, value: Any) -> str:
    return iso_date(Millis(value)) if group is Group.DAY else str(value)
