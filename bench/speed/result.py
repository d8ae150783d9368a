"""What a measurement says: a row of the table, or a curve of the plot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.speed.compare import plain

TOLERANCE = 0.15
"""By how much a curve may look steeper than it may be: what noise does to a slope over decades."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One ratio against its goal. ``detail`` has the figures behind it, with their units."""

    work: str
    against: str
    goal: float
    measured: float
    at_most: bool = False
    """Whether the goal is a ceiling; else it is a floor."""
    unit: str = "x"
    detail: str = ""
    short_because: str = ""
    """Said when it falls short: the reason, and what was tried."""

    @property
    def reached(self) -> bool:
        return self.measured <= self.goal if self.at_most else self.measured >= self.goal


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Milliseconds of one work at growing sizes, as (size, ms), and what may grow with the size."""

    work: str
    size: str
    points: Sequence[tuple[int, float]]
    allowed: float = 0.0
    """How steep it may be: 1 when the answer itself grows with the size, 0 when it stays the same."""
    detail: str = ""
    short_because: str = ""

    @property
    def steepness(self) -> float:
        """The exponent of growth between the smallest and the largest size."""
        (first, before), (last, after) = self.points[0], self.points[-1]
        return math.log(after / before) / math.log(last / first)

    @property
    def reached(self) -> bool:
        return self.steepness <= self.allowed + TOLERANCE

    def as_row(self) -> Row:
        """The same as a row of the table."""
        first, last = self.points[0][0], self.points[-1][0]
        points = ", ".join(f"{size:,}: {plain(ms)} ms" for size, ms in self.points)
        return Row(
            work=f"{self.work}, {first:,} to {last:,} {self.size}",
            against="its answer, which " + ("grows with them" if self.allowed else "stays as large"),
            goal=self.allowed + TOLERANCE,
            measured=self.steepness,
            at_most=True,
            unit="slope",
            detail=f"{points}; {self.detail}" if self.detail else points,
            short_because=self.short_because,
        )
