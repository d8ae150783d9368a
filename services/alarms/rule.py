"""What a rule is, and what it finds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from services.shared.clock import Millis
from settings import Settings


class Concern(NamedTuple):
    """A reason for an alarm. A rule has one alarm for each subject at a time."""

    subject: str
    text: str
    staff: str | None = None
    """The name of the member of the staff whom it is about, who must not acknowledge it."""


@dataclass(frozen=True)
class Found:
    """What one check has found, and the numbers that the next one goes on from, by name."""

    concerns: Sequence[Concern] = ()
    progress: Mapping[str, int] = field(default_factory=dict)
    is_complete: bool = True
    """Whether there was no more to check. If not, the next check comes at once."""


class Rule(NamedTuple):
    """A check that is repeated."""

    name: str
    find: Callable[[Settings, Millis], Found]
    """Changes nothing."""
    every_ms: int
    is_event: bool = False
    """Whether it finds what has happened, once. Others find all that lasts, each time."""
