"""Reading cases of real-life items."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.case_spins import IRL, spins_of
from models.db.connection import reading, snapshot
from models.irl_cases import IrlCase, IrlItem
from services.cases.errors import CaseNotFound
from services.games import snapshots
from services.games.snapshots import Content
from services.shared.errors import PlatformError
from services.shared.money import Cents

ID = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


class InvalidCaseId(PlatformError):
    text = "Invalid case ID"


class ShownIrlItem(NamedTuple):
    """An item. ``image`` as in models/irl_cases.py, ``chance`` in attos (services/cases/chances.py)."""

    name: str
    image: str
    price_cents: Cents
    chance: int


@dataclass(frozen=True, slots=True)
class ShownIrlCase:
    """A case with its items, the rarest first, equal chances in the order of the import."""

    row_id: int
    id: str
    name: str
    price_cents: Cents
    spins: int
    items: list[ShownIrlItem] = field(default_factory=list)
    snapshot: str | None = None
    """The hash of the content; None in the list of all cases."""


@reading()
def list_all() -> list[ShownIrlCase]:
    """Every case, the newest first. The last case of an import is the newest."""
    query = _cases().order_by(IrlCase.created_at_ms.desc(), IrlCase.id.desc())
    cases = [ShownIrlCase(*row) for row in query.tuples()]
    _fill(cases, _items())
    return cases


@snapshot(within_limit=True)
def get(*, case_id: str) -> ShownIrlCase:
    """The case with this id. Raises InvalidCaseId and CaseNotFound."""
    if not ID.fullmatch(case_id):
        raise InvalidCaseId
    rows = list(_cases().where(IrlCase.slug == case_id).tuples())
    if not rows:
        raise CaseNotFound
    case = ShownIrlCase(*rows[0])
    _fill([case], _items().where(IrlItem.case == case.row_id))
    return case


def content_of_case(case: ShownIrlCase) -> Content:
    """What can be won from this case, as it is shown."""
    items = ((item.name, item.price_cents, item.chance) for item in case.items)
    return snapshots.content_of(case_id=case.id, price_cents=case.price_cents, items=items)


def _cases() -> Any:
    columns = (IrlCase.id, IrlCase.slug, IrlCase.name, IrlCase.price_cents)
    return IrlCase.select(*columns, spins_of(IRL, IrlCase.id))


def _items() -> Any:
    columns = (IrlItem.name, IrlItem.image, IrlItem.price_cents, IrlItem.chance_attos)
    return IrlItem.select(IrlItem.case, *columns).order_by(IrlItem.chance_attos, IrlItem.position)


def _fill(cases: Sequence[ShownIrlCase], query: Any) -> None:
    contents: defaultdict[int, list[ShownIrlItem]] = defaultdict(list)
    for case_row_id, *item in query.tuples():
        contents[case_row_id].append(ShownIrlItem._make(item))
    for case in cases:
        case.items.extend(contents[case.row_id])
