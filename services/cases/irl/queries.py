"""Reading cases of real-life items."""

import re
from typing import Any

from peewee import prefetch

from models.case_spins import IRL, spins_of
from models.db.connection import repeatable_read
from models.irl_cases import IrlCase, IrlItem
from services.cases import snapshots
from services.cases.snapshots import Content
from services.shared.errors import CaseNotFound, Refusal

IS_ON_SALE = IrlCase.retired_at_ms.is_null()

ID = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


@repeatable_read(within_limit=True)
def list_all() -> list[Any]:
    """Every case with its ``spins``, the newest first. The last case of an import is the newest."""
    query = IrlCase.select(IrlCase, spins_of(IRL, IrlCase.id).alias("spins"))
    return _with_items(query.where(IS_ON_SALE).order_by(IrlCase.created_at_ms.desc(), IrlCase.id.desc()))


@repeatable_read(within_limit=True)
def get(*, case_id: str) -> Any:
    """The case with this id. Raises Refusal for an invalid id, and CaseNotFound."""
    if not ID.fullmatch(case_id):
        raise Refusal("Invalid case ID")
    cases = _with_items(IrlCase.select().where(IrlCase.slug == case_id, IS_ON_SALE))
    if not cases:
        raise CaseNotFound
    return cases[0]


def content_of_case(case: Any) -> Content:
    """The content of this case, as it is shown."""
    items = ((item.name, item.price_cents, item.ticket_width) for item in case.items)
    return snapshots.content_of(case_id=case.slug, price_cents=case.price_cents, items=items)


def _with_items(cases: Any) -> list[Any]:
    """These cases with their ``items``, the rarest first, equal chances in the order of the import."""
    items = IrlItem.select().order_by(IrlItem.ticket_width, IrlItem.position)
    return list(prefetch(cases, items))
