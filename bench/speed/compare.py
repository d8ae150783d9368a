"""Measures two sides in turns, so that other work of the machine affects both."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from bench.speed.http_load import Load

LARGE = 100

Figure = TypeVar("Figure")


@dataclass(frozen=True)
class Comparison:
    """The figures of both sides in each round, and their ratio."""

    ours: Sequence[float]
    theirs: Sequence[float]

    @classmethod
    def of(cls, figure: str, ours: Sequence[Any], theirs: Sequence[Any]) -> Self:
        """One figure of each round."""
        return cls(*([getattr(each, figure) for each in side] for side in (ours, theirs)))

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios."""
        return statistics.median(self.ratios)

    @property
    def ratios(self) -> list[float]:
        return [mine / other for mine, other in zip(self.ours, self.theirs, strict=True)]

    def text(self, unit: str) -> str:
        """Such as ``3,214 to 3,402 requests/s, rounds 0.93-0.97``; the figures are medians."""
        ours, theirs = (statistics.median(side) for side in (self.ours, self.theirs))
        return (
            f"{plain(ours)} to {plain(theirs)} {unit}, rounds {min(self.ratios):.2f}-{max(self.ratios):.2f}"
        )


def take_turns(*sides: Callable[[], Figure], rounds: int) -> list[list[Figure]]:
    """The figures of each side. The order alternates (A B, B A, …), so that a drift affects both."""
    figures: list[list[Figure]] = [[] for _ in sides]
    for number in range(rounds):
        ordered = list(zip(sides, figures, strict=True))
        for measure, kept in ordered if number % 2 == 0 else reversed(ordered):
            kept.append(measure())
    return figures


def requests_per_second(
    ours: Callable[[], Load], theirs: Callable[[], Load], *, rounds: int
) -> tuple[float, str]:
    """The ratio of what two servers answer in a second, and the figures behind it.

    CPU times can be compared even on a busy machine.
    """
    loads = take_turns(ours, theirs, rounds=rounds)
    compared = Comparison.of("per_second", *loads)
    own, other = (statistics.median(load.cpu_us for load in side) for side in loads)
    busy = max(load.busy for side in loads for load in side)
    return compared.ratio, (
        f"{compared.text('requests/s')}; CPU {own:,.0f} to {other:,.0f} us a request; "
        f"load tool {busy:.0%} busy"
    )


def plain(figure: float) -> str:
    """Three digits or more, such as 0.123, 12.3 and 12,345."""
    return f"{figure:,.0f}" if figure >= LARGE else f"{figure:.3g}"
