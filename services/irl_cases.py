"""Cases of real-life things, as everybody sees them."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.database import reading
from models.irl_cases import IrlCase, IrlItem
from services.errors import PlatformError
from services.money import Cents

ID = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


class InvalidCaseId(PlatformError):
    """No case could have this id."""

    text = "Invalid case ID"


class IrlCaseNotFound(PlatformError):
    """No case has this id."""

    status = 404
    text = "Case not found"


class ShownThing(NamedTuple):
    """A thing in a case. ``image`` as in models/irl_cases.py; ``chance`` in attos (cases/chances.py)."""

    name: str
    image: str
    price_cents: Cents
    chance: int


@dataclass(frozen=True, slots=True)
class ShownIrlCase:
    """A case with its things, the rarest first; equal chances in the order in which they were given."""

    row_id: int
    id: str
    name: str
    price_cents: Cents
    spins: int
    items: list[ShownThing] = field(default_factory=list)


@reading()
def all_of_them() -> list[ShownIrlCase]:
    """Every case, the newest first; of one import's the last is the newest."""
    query = _cases().order_by(IrlCase.created_at_ms.desc(), IrlCase.id.desc())
    cases = [ShownIrlCase(*row) for row in query.tuples()]
    _fill(cases, _things())
    return cases


@reading()
def get(*, case_id: str) -> ShownIrlCase:
    """The case with this id. Raises InvalidCaseId and IrlCaseNotFound."""
    if not ID.fullmatch(case_id):
        raise InvalidCaseId
    rows = list(_cases().where(IrlCase.slug == case_id).tuples())
    if not rows:
        raise IrlCaseNotFound
    case = ShownIrlCase(*rows[0])
    _fill([case], _things().where(IrlItem.case == case.row_id))
    return case


def _cases() -> Any:
    return IrlCase.select(IrlCase.id, IrlCase.slug, IrlCase.name, IrlCase.price_cents, IrlCase.spins)


def _things() -> Any:
    columns = (IrlItem.name, IrlItem.image, IrlItem.price_cents, IrlItem.chance_attos)
    return IrlItem.select(IrlItem.case, *columns).order_by(IrlItem.chance_attos, IrlItem.position)


def _fill(cases: Sequence[ShownIrlCase], query: Any) -> None:
    contents: defaultdict[int, list[ShownThing]] = defaultdict(list)
    for case_row_id, *thing in query.tuples():
        contents[case_row_id].append(ShownThing._make(thing))
    for case in cases:
        case.items.extend(contents[case.row_id])
