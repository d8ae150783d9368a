"""Importing items from arrays of inventory items, and from price feeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import peewee

from models.db.connection import database, repeatable_read, writing
from models.db.sql import insert_rows
from models.items import Item
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.cases import version
from services.cases.contents import prices_with, reprice_cases_holding
from services.cases.kinds import GAMES
from services.items import catalogue
from services.items.prices.feed import prices_of
from services.items.prices.sources import refresh_feed_soon
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import (
    Change,
    ImportResult,
    Preview,
    checked_row,
    divided,
    image_from,
    plan_rows,
    price_from,
    without_errors,
)
from services.shared.money import MAX_AMOUNT_CENTS, Cents
from services.shared.text import is_storable

APP_IDS = tuple(GAMES)
MAX_NAME = 200
ROWS_A_STATEMENT = 500
ROWS_A_SLICE = 100
IMPORT = "import"
"""The ``price_source`` of a price that came from a file."""


ItemColumns = dict[str, Any]
"""The values that a row of a file sets, by the names of columns of ``Item``."""

COLUMNS = tuple(column.name for column in Item._meta.sorted_fields if column is not Item.id)  # noqa: SLF001
OR_UPDATE = "ON CONFLICT (market_hash_name) DO UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in COLUMNS
)

_IN_ORDER = itemgetter(*COLUMNS)
_KEY = itemgetter("market_hash_name")


@dataclass(frozen=True)
class ItemsImported(ImportResult):
    """``is_published``: whether these are the first items, which the upgrader shows at once."""

    is_published: bool


@dataclass(frozen=True)
class ItemFacts:
    """What staff compare of an item. Not where its price comes from: that is the import until a refresh."""

    game: str
    gun_name: str
    skin_name: str
    image: str
    price_cents: int | None
    custom_price: bool
    is_on_sale: bool = True


@dataclass(frozen=True, kw_only=True)
class ItemChange(Change):
    """``values`` are those of all columns."""

    item_id: int
    """0 for a new one."""
    values: ItemColumns

    @property
    def is_repriced(self) -> bool:
        """Whether an item that exists gets another price or game, which cases follow."""
        before, after = self.before, self.after
        return bool(before) and (before.price_cents, before.game) != (after.price_cents, after.game)


def import_document(document: object, *, app_id: int | None, now: Millis, reason: str = "") -> ItemsImported:
    """Import a parsed file of either format; see ``read_array`` and ``read_feed``.

    Items that exist are updated by their full name. Raises Refusal with the number of the bad row,
    from 1, and stores nothing of the file.
    """
    rows = list(without_errors(read_document(document, app_id=app_id)))
    return store(rows, now=now, reason=reason)


def preview(document: object, *, app_id: int | None, now: Millis) -> Preview:
    """What ``import_document`` would do with this document now. Locks nothing.

    10,000 items take seconds. Other greenlets may run meanwhile. Raises Refusal for another format.
    """
    rows, errors = divided(read_document(document, app_id=app_id))
    with repeatable_read(within_limit=True):
        changes = list(in_slices(_changes(rows, now), ROWS_A_SLICE))
        reprices = prices_with(
            {change.item_id: change.after.price_cents for change in changes if change.is_repriced}
        )
    return Preview([*changes], errors, reprices)


def read_document(document: object, *, app_id: int | None) -> Iterator[ItemColumns | Refusal]:
    """The rows of a parsed file of either format. Raises Refusal for another one."""
    if isinstance(document, list):
        return read_array(document)
    if isinstance(document, dict):
        return read_feed(document, app_id=app_id)
    raise Refusal("the file is neither an array of items nor a price feed")


def read_array(document: list[Any]) -> Iterator[ItemColumns | Refusal]:
    """Rows of ``{appid, marketHashName, price, gunName?, skinName?, image?, customPrice?, nextPriceFetch?}``.

    ``price`` is a number of coins, a text such as "$12.40", or null.
    """
    return plan_rows(document, _array_row, key=_KEY, twice="the file has this marketHashName twice")


def read_feed(document: Mapping[str, Any], *, app_id: int | None) -> Iterator[ItemColumns | Refusal]:
    """Rows of ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}``.

    Raises Refusal for another document, and without the game.
    """
    if app_id not in APP_IDS:
        raise Refusal(f"a price feed needs --appid {' or '.join(map(str, APP_IDS))}")

    def row(pair: tuple[str, object]) -> ItemColumns:
        name, cents = pair
        return {
            "app_id": app_id,
            "market_hash_name": _name(name, "the name"),
            "price_cents": _feed_price(cents),
        }

    return plan_rows(prices_of(document).items(), row, key=_KEY, twice="the file has this name twice")


def store(rows: Sequence[ItemColumns], *, now: Millis, reason: str = "") -> ItemsImported:
    """Insert or update these items in one transaction.

    A value that a row does not have is kept; a new item's names are parsed from its market name.
    An item with a custom price keeps it unless the row itself says ``customPrice``. Retired items are on
    sale again. The prices of the cases that hold these items follow. The first items are published.
    """
    with writing():
        database.obj.lift_statement_limit()
        version.begin_change()
        is_first = catalogue.count_items() == 0
        changes = list(_changes(rows, now))
        values = [change.values for change in changes]
        for chunk in peewee.chunked(values, ROWS_A_STATEMENT):
            insert_rows(Item, COLUMNS, map(_IN_ORDER, chunk), then=OR_UPDATE)
        reprice_cases_holding([change.item_id for change in changes if change.is_repriced])
        if any(value["price_cents"] is None for value in values):
            refresh_feed_soon()
        if is_first:
            catalogue.publish()
        created = sum(change.before is None for change in changes)
        after = {"created": created, "updated": len(rows) - created}
        record(AuditEventType.ITEMS_IMPORTED, now=now, user_id=None, after=after | because(reason))
    return ItemsImported(**after, is_published=is_first)


def _changes(rows: Sequence[ItemColumns], now: Millis) -> Iterator[ItemChange]:
    for some in peewee.chunked(rows, ROWS_A_STATEMENT):
        query: Any = Item.select().where(Item.market_hash_name.in_([_KEY(row) for row in some]))
        stored = {_KEY(item): item for item in query.dicts()}
        for row in some:
            yield _change(row, stored.get(_KEY(row)), now)


def _change(row: ItemColumns, stored: ItemColumns | None, now: Millis) -> ItemChange:
    values = _merged(row, stored, now)
    return ItemChange(
        key=values["market_hash_name"],
        before=None if stored is None else _facts(stored),
        after=_facts(values),
        item_id=0 if stored is None else stored["id"],
        values=values,
    )


def _facts(columns: ItemColumns) -> ItemFacts:
    return ItemFacts(
        game=GAMES[columns["app_id"]],
        gun_name=columns["gun_name"],
        skin_name=columns["skin_name"],
        image=columns["image"],
        price_cents=columns["price_cents"],
        custom_price=bool(columns["custom_price"]),
        is_on_sale=columns["retired_at_ms"] is None,
    )


def _merged(row: ItemColumns, stored: ItemColumns | None, now: Millis) -> ItemColumns:
    if stored is None:
        name = catalogue.parse_name(row["market_hash_name"])
        kept = {"gun_name": name.gun_name, "skin_name": name.skin_name, "image": "", "custom_price": False}
    else:
        kept = {column: stored[column] for column in ("gun_name", "skin_name", "image", "custom_price")}
    merged = kept | {"next_price_fetch_ms": now} | row
    if stored is not None and stored["custom_price"] and "custom_price" not in row:
        merged["price_cents"] = stored["price_cents"]
    merged["price_source"] = None if merged["price_cents"] is None else IMPORT
    # Unknown until the feed is compared with the item again.
    merged["in_feed"] = None
    merged["retired_at_ms"] = None
    return merged


def _array_row(value: object) -> ItemColumns:
    row = checked_row(value)
    app_id = row.get("appid")
    if isinstance(app_id, bool) or app_id not in APP_IDS:
        raise Refusal(f"appid must be {' or '.join(map(str, APP_IDS))}")
    if "price" not in row:
        raise Refusal("price must be a number, a text like $12.40, or null")
    custom_price = row.get("customPrice")
    if custom_price is not None and not isinstance(custom_price, bool):
        raise Refusal("customPrice must be true or false")
    optional = {
        "gun_name": _optional_text(row, "gunName"),
        "skin_name": _optional_text(row, "skinName"),
        "image": None if row.get("image") is None else image_from(row["image"], "image"),
        "custom_price": custom_price,
        "next_price_fetch_ms": _optional_time(row, "nextPriceFetch"),
    }
    return {
        "app_id": app_id,
        "market_hash_name": _name(row.get("marketHashName"), "marketHashName"),
        "price_cents": None if row["price"] is None else price_from(row["price"], "price"),
    } | {column: value for column, value in optional.items() if value is not None}


def _name(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME or not is_storable(value):
        raise Refusal(f"{what} must be a text of 1 to {MAX_NAME} characters")
    return value


def _optional_text(row: Mapping[str, object], key: str) -> str | None:
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_NAME or not is_storable(value):
        raise Refusal(f"{key} must be a text of at most {MAX_NAME} characters")
    return value


def _optional_time(row: Mapping[str, object], key: str) -> Millis | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise Refusal(f"{key} must be a time in milliseconds")
    return Millis(value)


def _feed_price(value: object) -> Cents:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_AMOUNT_CENTS:
        raise Refusal(f"the price must be a whole number of cents from 0 to {MAX_AMOUNT_CENTS}")
    return Cents(value)
