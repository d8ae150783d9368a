"""Charts that are part of their page: SVG made by the server, drawn at once and without JavaScript.

The lines are in a box of fixed size, which the browser stretches. Texts are beside it, so they keep theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

from blueprints.office.addresses import Days
from services.figures import returns
from services.figures.liabilities import OfDay
from services.figures.payments_by_method import PaymentsOfMethod
from services.figures.returns import Figures, Group, Line
from services.figures.reward_costs import RewardsOfDay
from services.shared.clock import DAY_MS, Millis, iso_date
from services.staff.player_results import DayResult

WIDTH, HEIGHT = 1000, 200
MOST_DAYS = 400
"""A chart of more days has only the last ones."""
INTERVALS = 4
"""Between the numbers beside a chart, at most."""
STEPS = (1, 2, 2.5, 5, 10)
LARGE, MINUS = 100, "\u2212"
FEW = 14
"""So few days have a dot each: alone, a day has no line."""


class Series(NamedTuple):
    """A line: its name, a value for each day or None, and its look (``.plot`` in office.css)."""

    label: str
    values: Sequence[float | None]
    look: str = "main"


class Tip(NamedTuple):
    """What is shown while the pointer is at a day."""

    day: str
    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Chart:
    """A chart of days. ``band`` has the lowest and highest value of each; the area between is filled."""

    title: str
    days: Sequence[str]
    series: Sequence[Series]
    text: Callable[[float], str]
    """How a value is written."""
    band: Sequence[tuple[float, float] | None] = ()
    has_zero: bool = True

    @property
    def ticks(self) -> list[float]:
        """The numbers beside the chart, from the lowest to the highest."""
        found = [value for each in self.series for value in each.values if value is not None]
        found += [value for both in self.band if both for value in both]
        if self.has_zero or not found:
            found.append(0)
        return _ticks(min(found), max(found))

    @property
    def scale(self) -> list[str]:
        """The texts of these numbers, the highest first."""
        return [self.text(value) for value in reversed(self.ticks)]

    @property
    def paths(self) -> list[tuple[str, str]]:
        """The look and the SVG path of each line."""
        return [(each.look, self._path(each.values)) for each in self.series]

    @property
    def areas(self) -> list[str]:
        """The SVG paths of the band: one for each days without a gap."""
        found, run = [], list[tuple[float, float, float]]()
        for place, both in enumerate([*self.band, None]):
            if both is not None:
                run.append((self._x(place), *both))
            elif run:
                upper = [f"{x:.1f} {self._y(high):.1f}" for x, _, high in run]
                lower = [f"{x:.1f} {self._y(low):.1f}" for x, low, _ in reversed(run)]
                found.append(f"M{'L'.join([*upper, *lower])}Z")
                run = []
        return found

    @property
    def dots(self) -> list[tuple[str, str]]:
        """The look and the path of the dots of each line, if there are few days or few values."""
        found = []
        for each in self.series:
            known = [(place, value) for place, value in enumerate(each.values) if value is not None]
            if len(known) <= FEW:
                path = "".join(f"M{self._x(place):.1f} {self._y(value):.1f}h0" for place, value in known)
                found.append((each.look, path))
        return found

    @property
    def zero(self) -> float | None:
        """Where the line of 0 is, if values are on both sides of it."""
        return self._y(0) if self.ticks[0] < 0 < self.ticks[-1] else None

    @property
    def tips(self) -> list[Tip]:
        """What each day has."""
        return [
            Tip(
                day,
                [
                    (each.label, self.text(value))
                    for each in self.series
                    if (value := each.values[place]) is not None
                ],
            )
            for place, day in enumerate(self.days)
        ]

    @property
    def summary(self) -> str:
        """The title, the days and the last values, for who can't see the lines."""
        if not self.days:
            return self.title
        last = ", ".join(f"{label} {text}" for label, text in reversed(self.tips[-1].lines))
        return f"{self.title}, {self.days[0]} to {self.days[-1]}. The last day: {last or 'nothing'}"

    def _path(self, values: Sequence[float | None]) -> str:
        parts, is_drawn = [], False
        for place, value in enumerate(values):
            if value is not None:
                parts.append(f"{'L' if is_drawn else 'M'}{self._x(place):.1f} {self._y(value):.1f}")
            is_drawn = value is not None
        return "".join(parts)

    def _x(self, place: int) -> float:
        """The middle of the day."""
        return (place + 0.5) * WIDTH / max(len(self.days), 1)

    def _y(self, value: float) -> float:
        low, *_, high = self.ticks
        return HEIGHT * (high - value) / (high - low)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers at the same distance, the first at or below ``low`` and the last at or above ``high``."""
    if low == high:
        high = low + 1
    size = 10 ** floor(log10((high - low) / INTERVALS))
    step = next(each * size for each in STEPS if each * size * INTERVALS >= (high - low) * 0.999)
    return [number * step for number in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def coins(value: float) -> str:
    """An amount of coins, without cents where it is large."""
    is_round = abs(value) >= LARGE or value == round(value)
    return (f"{value:,.0f}" if is_round else f"{value:,.2f}").replace("-", MINUS)


def percent(value: float) -> str:
    return f"{value * 100:,.1f} %".replace(".0 %", " %")


def shown_days(days: Days) -> Days:
    """The days of a chart: these, or the last of them."""
    return Days(Millis(max(days.since, days.until - MOST_DAYS * DAY_MS)), days.until)


def before(days: Days) -> Days:
    """As many days, which end where these begin."""
    return Days(Millis(2 * days.since - days.until), days.since)


def names(days: Days) -> list[str]:
    """The name of each of these days."""
    return [iso_date(Millis(day)) for day in range(days.since, days.until, DAY_MS)]


def figures_by_day(
    days: Days, *, game: str | None = None, case: str | None = None, price: str | None = None
) -> dict[str, Figures]:
    """The figures of the bets of each day that has any."""
    lines = returns.lines(
        since=days.since, until=days.until, groups=[Group.DAY], game=game, case_id=case, price_class=price
    )
    return {line.group[0]: line.figures for line in lines}


def revenue_chart(days: Days, found: Mapping[str, Figures]) -> Chart:
    """The net revenue of each day; ``found`` also has the days before."""

    def revenue(of: Days) -> list[float | None]:
        return [found.get(day, Figures()).revenue / 100 for day in names(of)]

    expected = [found.get(day, Figures()).expected_revenue / 100 for day in names(days)]
    lines = [
        *_earlier("The {} before", revenue(before(days))),
        Series("Theoretical", expected, "theory"),
        Series("Net revenue (GGR)", revenue(days)),
    ]
    return Chart("Net revenue (GGR)", names(days), lines, coins)


def return_chart(days: Days, found: Mapping[str, Figures]) -> Chart:
    """The return to player of each day with its band, and that of the days before."""

    def ratio(of: Days) -> list[float | None]:
        return [found.get(day, Figures()).return_to_player for day in names(of)]

    shown = [found.get(day, Figures()) for day in names(days)]
    lines = [
        *_earlier("The {} before", ratio(before(days))),
        Series("Theoretical", [each.expected_return for each in shown], "theory"),
        Series("Return to player", ratio(days)),
    ]
    band = [each.band for each in shown]
    return Chart("Return to player, with its 99.9 % band", names(days), lines, percent, band, has_zero=False)


def payments_chart(days: Days, found: Sequence[PaymentsOfMethod]) -> Chart:
    """What was paid in and out on each day; ``found`` also has the days before."""
    sums: dict[tuple[str, str], int] = {}
    for each in found:
        key = each.type, iso_date(each.day)
        sums[key] = sums.get(key, 0) + each.amount

    def amounts(type_: str, of: Days) -> list[float | None]:
        return [sums.get((type_, day), 0) / 100 for day in names(of)]

    lines = [
        *_earlier("Deposits, the {} before", amounts("deposit", before(days))),
        *_earlier("Withdrawals, the {} before", amounts("withdraw", before(days)), "earlier-other"),
        Series("Withdrawals", amounts("withdraw", days), "other"),
        Series("Deposits", amounts("deposit", days)),
    ]
    return Chart("Deposits and withdrawals", names(days), lines, coins)


def liabilities_chart(days: Days, found: Sequence[OfDay]) -> Chart:
    """What the house owed at the end of each day; ``found`` also has the days before."""
    totals = {iso_date(each.day): each.owed.total / 100 for each in found}

    def owed(of: Days) -> list[float | None]:
        return [totals.get(day) for day in names(of)]

    lines = [*_earlier("The {} before", owed(before(days))), Series("Total", owed(days))]
    return Chart("What the house owed", names(days), lines, coins)


def rewards_chart(days: Days, found: Sequence[RewardsOfDay]) -> Chart:
    """What rewards cost on each day beside the expected win; ``found`` also has the days before."""
    costs = {each.day: each.cost / 100 for each in found}
    wins = {each.day: each.expected_win / 100 for each in found}

    def cost(of: Days) -> list[float | None]:
        return [costs.get(day, 0) for day in names(of)]

    lines = [
        *_earlier("The {} before", cost(before(days))),
        Series("Expected win", [wins.get(day, 0) for day in names(days)], "theory"),
        Series("Cost of rewards", cost(days)),
    ]
    return Chart("Cost of rewards", names(days), lines, coins)


def result_chart(points: Sequence[DayResult]) -> Chart:
    """What a player had won in all by the end of each day; of many days some, the last one always."""
    every = -(-len(points) // MOST_DAYS) or 1
    some = points[::-1][::every][::-1]
    line = Series("Net result of the player", [each.total / 100 for each in some])
    return Chart(
        "Net result of the player over the lifetime", [iso_date(each.day) for each in some], [line], coins
    )


def _earlier(label: str, values: Sequence[float | None], look: str = "earlier") -> list[Series]:
    """The line of the days before, if there was anything."""
    span = "day" if len(values) == 1 else f"{len(values)} days"
    return [Series(label.format(span), values, look)] if any(values) else []


def newest_first(found: Mapping[str, Figures], days: Days) -> list[Line]:
    """The lines of a table below a chart: these days, without those before."""
    shown = set(names(days))
    return [Line((day,), found[day]) for day in sorted(found, reverse=True) if day in shown]
