"""What a measurement says: a row of the table, or a curve of the plot."""

from collections.abc import Sequence
from dataclasses import dataclass


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

    @property
    def reached(self) -> bool:
        return self.measured <= self.goal if self.at_most else self.measured >= self.goal


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Milliseconds of one work at growing sizes, as (size, ms), and what may grow with the size."""

    work: str
    size: str
    points: Sequence[tuple[int, float]]
    detail: str = ""
