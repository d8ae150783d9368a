"""Importing cases of real-life items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from models.db.connection import database, writing
from models.irl_cases import IrlCase, IrlItem
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import version
from services.cases.chances import CERTAIN, Width, share_equally, width_from_percent
from services.irl_cases.queries import ID
from services.shared.clock import Millis
from services.shared.errors import OperatorError
from services.shared.import_rows import ImportResult, Row, image_from, import_rows, name_from, price_from

MAX_NAME = 100
MAX_ITEM_NAME = 200
MAX_ITEMS = 500


def import_cases(rows: Iterable[object], *, now: Millis, reason: str = "") -> ImportResult:
    """Insert or update a case for each row ``{id, name, price, items: [{name, image, price, percentage?}]}``.

    A case that exists is updated by its id. Prices are in coins. Items without a percentage share
    equally what the others leave of 100. Raises OperatorError with the number of the bad row, from 1, and
    stores nothing of the file.
    """
    with writing():
        database.obj.lift_statement_limit()
        version.begin_change()
        result = import_rows(rows, lambda row: _import_case(row, now))
        record(
            AuditEventType.IRL_CASES_IMPORTED, now=now, user_id=None, after=asdict(result) | because(reason)
        )
        return result


def _import_case(row: Row, now: Millis) -> tuple[int, bool]:
    slug = row.get("id")
    if not isinstance(slug, str) or not ID.fullmatch(slug):
        raise OperatorError("id must have 1 to 64 characters of a-z, 0-9 and -")
    columns: dict[str, Any] = {
        "name": name_from(row.get("name"), "name", MAX_NAME),
        "price_cents": price_from(row.get("price"), "price"),
        "withdrawn_at_ms": None,
    }
    items = _items(row.get("items"))
    expected = sum(item["price_cents"] * item["ticket_width"] for item in items)
    if expected > columns["price_cents"] * CERTAIN:
        raise OperatorError("the expected value of an opening is above the price")
    stored = IrlCase.get_or_none(IrlCase.slug == slug)
    if stored is None:
        row_id = IrlCase.insert(slug=slug, created_at_ms=now, **columns).execute()
    else:
        row_id = stored.id
        IrlCase.update(**columns).where(IrlCase.id == row_id).execute()
        IrlItem.delete().where(IrlItem.case == row_id).execute()
    IrlItem.insert_many([item | {"case": row_id} for item in items]).execute()
    return row_id, stored is None


def _items(value: object) -> list[dict[str, Any]]:
    """The columns of each item."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_ITEMS:
        raise OperatorError(f"items must be an array of 1 to {MAX_ITEMS} items")
    if not all(isinstance(item, Mapping) for item in value):
        raise OperatorError("each item must be an object")
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
    left = CERTAIN - sum(chance or 0 for chance in given)
    if left < 0 or (left and None not in given):
        raise OperatorError("the percentages must sum to 100, or to less than 100 when some are left out")
    shares = iter(share_equally(Width(left), given.count(None)) if None in given else ())
    return [next(shares) if chance is None else chance for chance in given]
