"""What is told of a turn of a source: to the log, the metrics and an operator."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from services.prices.feed_update import Applied
from services.prices.sources import Source


class Outcome(StrEnum):
    """How a turn of the feed, or one ask of the market, ended."""

    APPLIED = "applied"
    NOT_MODIFIED = "not modified"
    NO_PRICE = "no price"
    BAD_DOCUMENT = "bad document"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One turn that is over. ``problem`` is a line for an operator when it failed."""

    source: Source
    outcome: Outcome
    applied: Applied = field(default_factory=Applied)
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class SourceState:
    """How a source is doing: since when it has not succeeded, and whether it is left alone for now."""

    source: Source
    succeeded_at_ms: int | None
    is_paused: bool


Tell = Callable[[Turn], None]
"""Is told of every turn. Must not raise."""
