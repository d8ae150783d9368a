"""Importing items from arrays of inventory items, and from price feeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import peewee

from models.db.connection import database, writing
from models.items import Item
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.cases import version
from services.cases.pricing import reprice_cases_holding
from services.items import names
from services.prices.feed_document import CURRENCY
from services.prices.sources import refresh_feed_soon
from services.shared.clock import Millis
from services.shared.errors import OperatorError
from services.shared.import_rows import ImportResult, image_from, numbered_errors, price_from
from services.shared.money import MAX_AMOUNT_CENTS, Cents
from services.shared.text_validation import is_storable

APP_IDS = (730, 252_490)
MAX_NAME = 200
ROWS_A_STATEMENT = 500
IMPORT = "import"
"""The ``price_source`` of a price that came from a file."""


@dataclass(frozen=True)
class ImportedItem:
    """A checked row of a file. Where it has None, the stored value is kept."""

    app_id: int
    market_hash_name: str
    price_cents: Cents | None
    gun_name: str | None = None
    skin_name: str | None = None
    image: str | None = None
    custom_price: bool | None = None
    next_price_fetch_ms: Millis | None = None


def import_document(document: object, *, app_id: int | None, now: Millis) -> ImportResult:
    """Import a parsed file of either format; see ``read_array`` and ``read_feed``.

    Items that exist are updated by their full name. Raises OperatorError with the number of the bad row,
    from 1, and stores nothing of the file.
    """
    if isinstance(document, list):
        rows = read_array(document)
    elif isinstance(document, dict):
        rows = read_feed(document, app_id=app_id)
    else:
        raise OperatorError("the file is neither an array of items nor a price feed")
    return store(rows, now=now)


def read_array(document: list[Any]) -> list[ImportedItem]:
    """Rows of ``{appid, marketHashName, price, gunName?, skinName?, image?, customPrice?, nextPriceFetch?}``.

    ``price`` is a number of coins, or null. Raises OperatorError with the number of the bad row, from 1.
    """
    rows = []
    seen: set[str] = set()
    for number, row in enumerate(document, start=1):
        with numbered_errors(number):
            item = _array_row(row)
            if item.market_hash_name in seen:
                raise OperatorError("the file has this marketHashName twice")
        seen.add(item.market_hash_name)
        rows.append(item)
    return rows


def read_feed(document: Mapping[str, Any], *, app_id: int | None) -> list[ImportedItem]:
    """Rows of ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}``.

    Raises OperatorError, with the number of the bad price, from 1, where there is one.
    """
    if app_id not in APP_IDS:
        raise OperatorError(f"a price feed needs --appid {' or '.join(map(str, APP_IDS))}")
    metadata, prices = document.get("metadata"), document.get("prices")
    if not isinstance(metadata, dict) or not isinstance(prices, dict):
        raise OperatorError("a price feed has the objects metadata and prices")
    if metadata.get("currency") != CURRENCY:
        raise OperatorError(f"the currency of a price feed must be {CURRENCY}")
    rows = []
    for number, (name, cents) in enumerate(prices.items(), start=1):
        with numbered_errors(number):
            rows.append(ImportedItem(app_id, _name(name, "the name"), _feed_price(cents)))
    return rows


def store(rows: Sequence[ImportedItem], *, now: Millis) -> ImportResult:
    """Insert or update these items in one transaction.

    A value that a row does not have is kept; a new item's names are parsed from its market name.
    An item with a custom price keeps it unless the row itself says ``customPrice``. The prices of the cases
    that hold these items follow.
    """
    with writing():
        version.begin_change()
        stored = {item.market_hash_name: item for item in Item.select()}
        # Sorted, so that two concurrent imports do not deadlock.
        ordered = sorted(rows, key=attrgetter("market_hash_name"))
        values = [_merged(row, stored.get(row.market_hash_name), now) for row in ordered]
        for chunk in peewee.chunked(values, ROWS_A_STATEMENT):
            every_column = {getattr(Item, name): getattr(peewee.EXCLUDED, name) for name in chunk[0]}
            Item.insert_many(chunk).on_conflict(
                conflict_target=[Item.market_hash_name], update=every_column
            ).execute()
        database.analyze_tables(Item)
        reprice_cases_holding([item.id for row in rows if (item := stored.get(row.market_hash_name))])
        if any(value["price_cents"] is None for value in values):
            refresh_feed_soon()
        created = sum(row.market_hash_name not in stored for row in rows)
        result = ImportResult(total=len(rows), created=created)
        record(What.ITEMS_IMPORTED, now=now, user_id=None, after=result.counts)
    return result


def _merged(row: ImportedItem, stored: Item | None, now: Millis) -> dict[str, object]:
    parsed = names.parse(row.market_hash_name)
    keeps_price = stored is not None and stored.custom_price and row.custom_price is None
    price = stored.price_cents if stored is not None and keeps_price else row.price_cents
    return {
        "app_id": row.app_id,
        "market_hash_name": row.market_hash_name,
        "gun_name": _first(row.gun_name, stored and stored.gun_name, parsed.gun_name),
        "skin_name": _first(row.skin_name, stored and stored.skin_name, parsed.skin_name),
        "image": _first(row.image, stored and stored.image, ""),
        "price_cents": price,
        "price_source": None if price is None else IMPORT,
        # Unknown until the feed is compared with the item again.
        "in_feed": None,
        "custom_price": _first(row.custom_price, stored and stored.custom_price, False),
        "next_price_fetch_ms": _first(row.next_price_fetch_ms, now),
    }


def _first(*values: object) -> object:
    return next(value for value in values if value is not None)


def _array_row(row: object) -> ImportedItem:
    if not isinstance(row, dict):
        raise OperatorError("must be an object")
    app_id = row.get("appid")
    if isinstance(app_id, bool) or app_id not in APP_IDS:
        raise OperatorError(f"appid must be {' or '.join(map(str, APP_IDS))}")
    if "price" not in row:
        raise OperatorError("price must be a number or null")
    custom_price = row.get("customPrice")
    if custom_price is not None and not isinstance(custom_price, bool):
        raise OperatorError("customPrice must be true or false")
    return ImportedItem(
        app_id=app_id,
        market_hash_name=_name(row.get("marketHashName"), "marketHashName"),
        gun_name=_optional_text(row, "gunName", MAX_NAME),
        skin_name=_optional_text(row, "skinName", MAX_NAME),
        image=None if row.get("image") is None else image_from(row["image"], "image"),
        price_cents=None if row["price"] is None else price_from(row["price"], "price"),
        custom_price=custom_price,
        next_price_fetch_ms=_optional_time(row, "nextPriceFetch"),
    )


def _name(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME or not is_storable(value):
        raise OperatorError(f"{what} must be a text of 1 to {MAX_NAME} characters")
    return value


def _optional_text(row: Mapping[str, object], key: str, most: int) -> str | None:
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > most or not is_storable(value):
        raise OperatorError(f"{key} must be a text of at most {most} characters")
    return value


def _optional_time(row: Mapping[str, object], key: str) -> Millis | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise OperatorError(f"{key} must be a time in milliseconds")
    return Millis(value)


def _feed_price(value: object) -> Cents:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_AMOUNT_CENTS:
        raise OperatorError(f"the price must be a whole number of cents from 0 to {MAX_AMOUNT_CENTS}")
    return Cents(value)
