"""Wagers, payouts and gross gaming revenue of a period, with what the chances of the bets promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from services.reports import daily_totals
from services.reports.bet_sums import BetSums
from services.reports.daily_totals import Key
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
    wanted = {"game": game, "case_id": case_id, "price_class": price_class}
    found: dict[tuple[str, ...], Figures] = {}
    for key, sums in daily_totals.since(since, until):
        if all(value in (None, getattr(key, name)) for name, value in wanted.items()):
            group = tuple(_value(key, each) for each in groups)
            found[group] = found.get(group, Figures()) + figures_of(sums)
    return [Line(group, found[group]) for group in sorted(found)]


def total(found: Sequence[Line]) -> Figures:
    """The figures of all lines."""
    return sum((line.figures for line in found), start=Figures())


def figures_of(sums: BetSums) -> Figures:
    """The figures of one row of the totals, whose bets all have a wager, or none of them."""
    return Figures(paid_for=sums) if sums.wagered else Figures(free=sums)


def _value(key: Key, group: Group) -> str:
    if group is Group.DAY:
        return iso_date(key.day)
    return {Group.GAME: key.game, Group.CASE: key.case_id, Group.PRICE: key.price_class}[group]
