"""Reading cases of real-life items."""

import re
from typing import Any

from peewee import prefetch

from models.cases import IRL, IrlCase, IrlItem, spins_of
from models.db.connection import repeatable_read
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


def _with_items(cases: Any) -> list[Any]:
    """These cases with their ``items``, the rarest first, equal chances in the order of the import."""
    items = IrlItem.select().order_by(IrlItem.ticket_width, IrlItem.position)
    return list(prefetch(cases, items))
