"""What the players of a storm of payments have requested, and what they were answered.

It outlives every kill of the server, and shares nothing with the code under test.
"""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.harness.players import Player


class Kind(StrEnum):
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"


NEXT: Mapping[Kind, Mapping[str, set[str]]] = {
    Kind.DEPOSIT: {
        "created": {"pending", "failed"},
        "pending": {"confirming", "expired", "credited", "review", "failed"},
        "confirming": {"credited", "review", "failed"},
        "expired": {"review"},
        "failed": {"review"},
        "review": {"credited", "failed"},
        "credited": set(),
    },
    Kind.WITHDRAWAL: {
        "requested": {"approved", "rejected"},
        "approved": {"sending"},
        "sending": {"sent", "completed", "failed"},
        "sent": {"completed", "failed"},
        "completed": set(),
        "rejected": set(),
        "failed": set(),
    },
}
"""The steps between the statuses. A player may miss some of them."""


def may_follow(kind: Kind, before: str, after: str) -> bool:
    """Whether a row may have one status and later the other."""
    reached, ahead = {before}, [before]
    while ahead:
        new = NEXT[kind][ahead.pop()] - reached
        reached |= new
        ahead += new
    return after in reached


@dataclass
class Act:
    """One deposit or withdrawal that a player wants. No two of a player have the same amount.

    With an idempotency key it is repeated until it is answered, also by several requests at once.
    """

    kind: Kind
    cents: int
    key: str | None = None
    to: str = ""
    ids: set[str] = field(default_factory=set)
    """Of the rows that were answered."""

    errors: list[str] = field(default_factory=list)
    unavailable: int = 0
    """Answers 502 and 503. A row may have been made and have failed."""

    unknown: int = 0
    """Requests whose answer was lost."""

    attempts: int = 0


@dataclass
class Memory:
    """One player, and everything that was requested and answered."""

    player: Player
    began_with_cents: int
    acts: list[Act] = field(default_factory=list)
    statuses: dict[str, tuple[Kind, str]] = field(default_factory=dict)
    """The last known status of each deposit and withdrawal."""

    contradictions: list[str] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, act: Act) -> Act:
        with self._guard:
            self.acts.append(act)
        return act

    def answered(self, act: Act, payment: Mapping[str, Any], *, asked_at_once: bool = False) -> None:
        """A request was answered with a row. Of requests at once, the order of the answers is not known."""
        with self._guard:
            act.ids.add(payment["id"])
        if round(payment["amount"] * 100) != act.cents:
            self.contradict(f"{act.kind} of {act.cents} cents was answered with {payment['amount']}")
        if not asked_at_once:
            self.saw(act.kind, payment)

    def saw(self, kind: Kind, payment: Mapping[str, Any]) -> None:
        """Compare a status with the one that was seen before."""
        with self._guard:
            key, status = payment["id"], payment["status"]
            _, before = self.statuses.get(key, (kind, status))
            self.statuses[key] = (kind, status)
        if not may_follow(kind, before, status):
            self.contradict(f"{kind} {key} was {before}, and then {status}")
        if kind is Kind.DEPOSIT and (payment["credited"] is not None) != (status == "credited"):
            self.contradict(f"deposit {key} is {status} and has credited {payment['credited']}")

    def unfinished(self) -> list[tuple[str, Kind]]:
        """The ids of the rows that may still change."""
        with self._guard:
            return [(key, kind) for key, (kind, status) in self.statuses.items() if NEXT[kind][status]]

    def contradict(self, what: str) -> None:
        with self._guard:
            self.contradictions.append(what)


def tally(memories: list[Memory]) -> Counter[str]:
    """Count the acts by kind and by how they ended."""
    counts: Counter[str] = Counter()
    for act in (act for memory in memories for act in memory.acts):
        end = "answered" if act.ids else "refused" if act.errors else "unknown"
        counts[f"{act.kind}s {end}"] += 1
    return counts
