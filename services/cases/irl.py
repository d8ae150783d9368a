"""Cases of real-life items: importing and reading them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from peewee import prefetch

from models.cases import IRL, IrlCase, IrlItem, spins_of
from models.db.connection import repeatable_read
from services.audit_trail.events import AuditEventType
from services.cases import history
from services.cases.contents import (
    CERTAIN,
    ItemLine,
    Width,
    difference_to_certain,
    exact_percent,
    share_equally,
    width_from_percent,
)
from services.cases.importing import TWICE, case_image, preview_of, store_all
from services.shared.clock import Millis
from services.shared.errors import CaseNotFound, Refusal
from services.shared.imports import (
    Change,
    ImportResult,
    Preview,
    Row,
    checked_row,
    image_from,
    name_from,
    plan_rows,
    price_from,
)

MAX_NAME = 100
MAX_ITEM_NAME = 200
MAX_ITEMS = 500

IS_ON_SALE = IrlCase.retired_at_ms.is_null()
ID = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class IrlCaseFacts:
    """What staff compare of a case. The items are in their order."""

    name: str
    price_cents: int
    items: tuple[ItemLine, ...]
    images: tuple[str, ...]
    image: str = ""
    is_on_sale: bool = True


@dataclass(frozen=True, kw_only=True)
class IrlCaseChange(Change):
    """The columns of the case, and of each item."""

    stored: IrlCase | None
    columns: dict[str, Any]
    items: list[dict[str, Any]]

    def store(self, *, now: Millis) -> None:
        """Save the case and its items."""
        if self.stored is None:
            row_id = IrlCase.insert(slug=self.key, created_at_ms=now, **self.columns).execute()
        else:
            row_id = self.stored.id
            IrlCase.update(**self.columns).where(IrlCase.id == row_id).execute()
            IrlItem.delete().where(IrlItem.case == row_id).execute()
        IrlItem.insert_many([item | {"case": row_id} for item in self.items]).execute()
        history.record_change(AuditEventType.IRL_CASE_CHANGED, self, now=now)


def import_cases(rows: Iterable[object], *, now: Millis, reason: str = "") -> ImportResult:
    """Insert or update a case for each row ``{id, name, price, image?, items: [...]}``.

    Items are ``{name, image?, price, percentage?}``. A case that exists is updated by its id, and keeps its
    image if the row has none. Prices are in coins. Items without a percentage share
    equally what the others leave of 100. Raises Refusal with the number of the bad row, from 1, and
    stores nothing of the file.
    """
    return store_all(_planned(rows), AuditEventType.IRL_CASES_IMPORTED, now=now, reason=reason)


def preview(rows: Iterable[object], *, now: Millis) -> Preview:  # noqa: ARG001  # as of the other imports
    """What ``import_cases`` would do with these rows now."""
    return preview_of(_planned(rows))


def _planned(rows: Iterable[object]) -> Iterator[IrlCaseChange | Refusal]:
    return plan_rows(rows, _plan, key=attrgetter("key"), twice=TWICE)


def _plan(value: object) -> IrlCaseChange:
    row = checked_row(value)
    slug = row.get("id")
    if not isinstance(slug, str) or not ID.fullmatch(slug):
        raise Refusal("id must have 1 to 64 characters of a-z, 0-9 and -")
    columns: dict[str, Any] = {
        "name": name_from(row.get("name"), "name", MAX_NAME),
        "price_cents": price_from(row.get("price"), "price"),
        "retired_at_ms": None,
    }
    items = _items(row.get("items"))
    expected = sum(item["price_cents"] * item["ticket_width"] for item in items)
    if expected > columns["price_cents"] * CERTAIN:
        raise Refusal("the expected value of an opening is above the price")
    stored: IrlCase | None = IrlCase.get_or_none(IrlCase.slug == slug)
    columns["image"] = case_image(row, stored)
    return IrlCaseChange(
        key=slug,
        before=None if stored is None else _stored_facts(stored),
        after=_facts(columns, items),
        stored=stored,
        columns=columns,
        items=items,
    )


def _stored_facts(case: IrlCase) -> IrlCaseFacts:
    items: Any = IrlItem.select().where(IrlItem.case == case.id).order_by(IrlItem.position).dicts()
    columns = ("name", "price_cents", "image", "retired_at_ms")
    return _facts({column: getattr(case, column) for column in columns}, list(items))


def _facts(columns: dict[str, Any], items: list[dict[str, Any]]) -> IrlCaseFacts:
    return IrlCaseFacts(
        name=columns["name"],
        price_cents=columns["price_cents"],
        items=tuple(ItemLine(item["name"], item["price_cents"], item["ticket_width"]) for item in items),
        images=tuple(item["image"] for item in items),
        image=columns["image"],
        is_on_sale=columns["retired_at_ms"] is None,
    )


def _items(value: object) -> list[dict[str, Any]]:
    """The columns of each item."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
        raise Refusal(f"items must be an array of 1 to {MAX_ITEMS} items")
    if not all(isinstance(item, Mapping) for item in value):
        raise Refusal("each item must be an object")
    return [
        {
            "position": position,
            "name": name_from(item.get("name"), "an item's name", MAX_ITEM_NAME),
            "image": image_from(item.get("image"), "an item's image"),
            "price_cents": price_from(item.get("price"), "an item's price"),
            "ticket_width": chance,
        }
        for position, (item, chance) in enumerate(zip(value, _chances(value), strict=True))
    ]


def _chances(items: Sequence[Row]) -> list[Width]:
    """The chance of each item. Items without one share equally what the others leave."""
    percentages = [item.get("percentage") for item in items]
    given = [None if percentage is None else width_from_percent(percentage) for percentage in percentages]
    total = sum(chance or 0 for chance in given)
    left = CERTAIN - total
    if left < 0 or (left and None not in given):
        raise Refusal(
            "the percentages must sum to 100, or to less than 100 when some are left out: "
            f"they sum to {exact_percent(total)}, {difference_to_certain(total)}"
        )
    shares = iter(share_equally(Width(left), given.count(None)) if None in given else ())
    return [next(shares) if chance is None else chance for chance in given]


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
