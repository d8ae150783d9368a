"""What players unlock by their level: level cases, and creating cases of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from models.cases import Case
from models.db.connection import reading
from services.cases import creating
from services.cases.kinds import CaseKind
from services.cases.queries import IS_ON_SALE


@dataclass(frozen=True, slots=True)
class Unlocks:
    """What a level unlocks. Each case has ``slug``, ``name`` and ``price_cents``, the cheapest first."""

    level: int
    creates_cases: bool
    cases: list[Any] = field(default_factory=list)


@reading()
def by_level() -> Sequence[Unlocks]:
    """The levels that unlock something, the lowest first."""
    found = {creating.MIN_LEVEL: Unlocks(creating.MIN_LEVEL, creates_cases=True)}
    columns = (Case.required_level, Case.slug, Case.name, Case.price_cents)
    cases = Case.select(*columns).where(Case.kind == CaseKind.LEVEL, IS_ON_SALE)
    for case in cases.order_by(Case.price_cents, Case.id).namedtuples():
        level = case.required_level or 0
        found.setdefault(level, Unlocks(level, creates_cases=False)).cases.append(case)
    return [found[level] for level in sorted(found)]
