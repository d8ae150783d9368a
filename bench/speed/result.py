"""The results of measurements: rows of the table and curves of the plot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.speed.compare import plain

TOLERANCE = 0.15
"""How much steeper than allowed a curve may be, because of noise."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A ratio and its goal. ``detail`` has the figures behind it, with units."""

    work: str
    against: str
    goal: float
    measured: float
    at_most: bool = False
    """Whether the goal is an upper bound; otherwise it is a lower bound."""
    unit: str = "x"
    detail: str = ""

    @property
    def reached(self) -> bool:
        return self.measured <= self.goal if self.at_most else self.measured >= self.goal


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Times of one kind of work at growing sizes, as (size, ms), and how they may grow."""

    work: str
    size: str
    points: Sequence[tuple[int, float]]
    allowed: float = 0.0
    """The allowed slope: 1 if the response grows with the size, 0 if it stays the same."""
    detail: str = ""

    @property
    def steepness(self) -> float:
        """The exponent of growth between the smallest and the largest size."""
        (first, before), (last, after) = self.points[0], self.points[-1]
        return math.log(after / before) / math.log(last / first)

    @property
    def reached(self) -> bool:
        return self.steepness <= self.allowed + TOLERANCE

    def as_row(self) -> Row:
        """The curve as a row of the table."""
        first, last = self.points[0][0], self.points[-1][0]
        points = ", ".join(f"{size:,}: {plain(ms)} ms" for size, ms in self.points)
        points += f" ({self.points[-1][1] / self.points[0][1]:.2f} times)"
        return Row(
            work=f"{self.work}, {first:,} to {last:,} {self.size}",
            against="its answer, which " + ("grows with them" if self.allowed else "stays as large"),
            goal=self.allowed + TOLERANCE,
            measured=self.steepness,
            at_most=True,
            unit="slope",
            detail=f"{points}; {self.detail}" if self.detail else points,
        )
