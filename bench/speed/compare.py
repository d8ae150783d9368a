"""Measuring one thing against another in turns, so that whatever else the machine does hits both."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Figures of both sides, round by round, and what they come to."""

    ours: Sequence[float]
    theirs: Sequence[float]

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios."""
        return statistics.median(self.ratios)

    @property
    def ratios(self) -> list[float]:
        return [mine / other for mine, other in zip(self.ours, self.theirs, strict=True)]

    @property
    def our_median(self) -> float:
        return statistics.median(self.ours)

    @property
    def their_median(self) -> float:
        return statistics.median(self.theirs)

    def told(self, unit: str) -> str:
        """Such as ``3,214 to 3,402 requests/s, rounds 0.93-0.97``."""
        low, high = min(self.ratios), max(self.ratios)
        return f"{_plain(self.our_median)} to {_plain(self.their_median)} {unit}, rounds {low:.2f}-{high:.2f}"


def in_turns(ours: Callable[[], float], theirs: Callable[[], float], *, rounds: int) -> Comparison:
    """A B, B A, A B, …: of two that drift, neither is always first."""
    figures: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        sides = [(ours, figures[0]), (theirs, figures[1])]
        for measure, kept in sides if number % 2 == 0 else reversed(sides):
            kept.append(measure())
    return Comparison(*figures)


def _plain(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"
