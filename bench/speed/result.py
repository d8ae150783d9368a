"""The rows of the table."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from bench.speed.compare import plain

TOLERANCE = 0.15
"""How much steeper than allowed a curve may be, because of noise."""

DECIMALS, SMALL, WIDTH = 2, 100, 110


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

    def text(self) -> str:
        """The row with its goal, result and verdict, and the figures behind it."""
        bound = "at most" if self.at_most else "at least"
        measured = f"{self.measured:.{DECIMALS if abs(self.measured) < SMALL else 0}f} {self.unit}"
        verdict = "reached" if self.reached else "MISSED"
        lines = f"{self.work}: {measured}, {bound} {self.goal:g}: {verdict}\n    against {self.against}"
        detail = textwrap.fill(self.detail, WIDTH, initial_indent="    ", subsequent_indent="    ")
        return f"{lines}\n{detail}"


def growth(work: str, size: str, points: Sequence[tuple[int, float]], *, allowed: float = 0.0) -> Row:
    """The exponent of growth of a time between the smallest and the largest size.

    ``points`` are sizes and milliseconds. ``allowed`` is 1 if the response grows with the size, 0 if it stays
    the same.
    """
    (first, before), (last, after) = points[0], points[-1]
    times = ", ".join(f"{each:,}: {plain(ms)} ms" for each, ms in points)
    return Row(
        work=f"{work}, {first:,} to {last:,} {size}",
        against="its answer, which " + ("grows with them" if allowed else "stays as large"),
        goal=allowed + TOLERANCE,
        measured=math.log(after / before) / math.log(last / first),
        at_most=True,
        unit="slope",
        detail=f"{times} ({after / before:.2f} times)",
    )
