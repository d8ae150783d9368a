"""Snapshots: the content of cases as canonical JSON, named by its hash.

A case page shows the hash of what can be won at that moment, and an opening refers to the snapshot that it
used. So anybody can verify later that charge, odds and prize were those that the player had seen.
"""

import hashlib
import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import peewee

from models.db.connection import UNAVAILABLE, Sqlite, database, reading, writing, writing_within
from models.db.sql import execute
from models.snapshots import Snapshot
from services.cases.reading import ShownCase
from services.fairness import tickets
from services.shared import decimal_json
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import PlatformError
from services.shared.money import Cents

log = logging.getLogger("platform.snapshots")

SHOWN_FOR_MS = 600_000
"""How long after it was shown a snapshot is not written again."""

WAIT_SECONDS = 0.1
"""How long a case page waits for other writers to store its snapshot."""

RETENTION_MS = DAY_MS
"""How long a snapshot that is not opened stays in the database after it was last shown."""
DELETED_AT_ONCE = 4

HASH = re.compile("[0-9a-f]{64}")
ID_DIGITS = 15
"""The hexadecimal digits of a hash that are the id of its snapshot."""

WHOLE = re.compile("0|[1-9][0-9]{0,18}")


class SnapshotNotFound(PlatformError):
    """No snapshot has this hash, or it was never opened and has been deleted."""

    status = 404
    text = "Snapshot not found"


class InvalidSnapshot(ValueError):
    """A text is not the canonical JSON of a case."""


class ContentItem(NamedTuple):
    """An item. Of 10**18 tickets, ``width`` win it."""

    name: str
    price_cents: Cents
    width: int


@dataclass(frozen=True, slots=True)
class Content:
    """What can be won from a case, in the order of its page, as canonical JSON and with its hash."""

    case_id: str
    price_cents: Cents
    items: tuple[ContentItem, ...]
    text: str
    hash: str
    """SHA-256 of the text in UTF-8, in lowercase hex."""

    def winning_place(self, ticket: int) -> int:
        """The position of the item that this ticket wins."""
        return tickets.winner(ticket, [item.width for item in self.items])

    def winner(self, ticket: int) -> ContentItem:
        """The item that this ticket wins."""
        return self.items[self.winning_place(ticket)]


def content_of(*, case_id: str, price_cents: Cents, items: Iterable[tuple[str, Cents, int]]) -> Content:
    """The content of a case with these items, rarest first: name, price in cents and width of each."""
    held = tuple(ContentItem(*item) for item in items)
    text = _canonical_json(
        {
            "id": case_id,
            "items": [
                {"name": item.name, "price": str(item.price_cents), "width": str(item.width)} for item in held
            ],
            "price": str(price_cents),
        }
    )
    return Content(case_id, price_cents, held, text, hashlib.sha256(text.encode()).hexdigest())


def content_of_case(case: ShownCase) -> Content | None:
    """The content of a case with market items. None if one of them has no price: it can't be opened.

    ``content_of_case`` in services/irl_cases/reading.py does it for cases with real-life items.
    """
    items = []
    for item in case.items:
        if item.price_cents is None:
            return None
        items.append((item.market_hash_name, item.price_cents, item.chance))
    return content_of(case_id=case.id, price_cents=case.price_cents, items=items)


_canonical_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def parse(text: str) -> Content:
    """The content of a snapshot's canonical JSON. Raises InvalidSnapshot for any other text."""
    try:
        found = decimal_json.loads(text)
        content = content_of(
            case_id=found["id"],
            price_cents=_whole(found["price"]),
            items=[(item["name"], _whole(item["price"]), _whole(item["width"])) for item in found["items"]],
        )
    except (ValueError, KeyError, TypeError):
        raise InvalidSnapshot("the text is not the JSON of a snapshot") from None
    if content.text != text or not _has_texts(content):
        raise InvalidSnapshot("the JSON is not canonical")
    if sum(item.width for item in content.items) != tickets.TICKET_RANGE:
        raise InvalidSnapshot("the widths must sum to 10**18")
    return content


def _has_texts(content: Content) -> bool:
    return all(isinstance(text, str) for text in (content.case_id, *(item.name for item in content.items)))


def _whole(text: str) -> Cents:
    if not WHOLE.fullmatch(text):
        raise ValueError("must be a whole number from 0, as text")
    return Cents(int(text))


@reading()
def text_of(hash_: str) -> str:
    """The canonical JSON with this hash. Raises SnapshotNotFound."""
    if not HASH.fullmatch(hash_):
        raise SnapshotNotFound
    query = Snapshot.select(Snapshot.content).where(Snapshot.id == _id_of(hash_), Snapshot.hash == hash_)
    text: str | None = query.scalar()
    if text is None:
        raise SnapshotNotFound
    return text


def _id_of(hash_: str) -> int:
    return int(hash_[:ID_DIGITS], 16)


def show(content: Content, *, now: Millis) -> None:
    """Store the snapshot of a case that is about to be shown. A failure is only logged."""
    try:
        is_opened, shown_at = _opened_and_shown(content.hash)
        if is_opened or shown_at > now - SHOWN_FOR_MS:
            return
        with writing_within(WAIT_SECONDS):
            _store(content, shown_at=now)
        # In a transaction of its own: one that has locked a new row waits for no old one.
        with writing_within(WAIT_SECONDS):
            _delete_old(now)
    except (*UNAVAILABLE, peewee.DatabaseError):
        log.warning("snapshot not stored", exc_info=True)


def id_for_bet(content: Content) -> int:
    """The id of this snapshot, which is stored and from now on never deleted.

    Call it before the bet is settled, outside of its transaction. Raises one of UNAVAILABLE, and
    peewee.IntegrityError when another content has this id: somebody has found two with the same 60 bits.
    """
    is_opened, shown_at = _opened_and_shown(content.hash)
    if not is_opened:
        with writing():
            _store(content, shown_at=shown_at, is_opened=True)
    return _id_of(content.hash)


FIND = "SELECT is_opened, shown_at_ms FROM snapshots WHERE id = :id AND hash = :hash"
STORE = """
INSERT INTO snapshots (id, hash, content, shown_at_ms, is_opened)
VALUES (:id, :hash, :content, :shown_at, :is_opened)
ON CONFLICT (id) DO UPDATE SET
    shown_at_ms = EXCLUDED.shown_at_ms, is_opened = snapshots.is_opened OR EXCLUDED.is_opened
WHERE snapshots.hash = EXCLUDED.hash
"""


@reading()
def _opened_and_shown(hash_: str) -> tuple[bool, int]:
    """Whether the snapshot was opened, and when it was last shown. One that is not stored: never."""
    return execute(FIND, {"id": _id_of(hash_), "hash": hash_}).fetchone() or (False, 0)


def _store(content: Content, *, shown_at: int, is_opened: bool = False) -> None:
    """Insert the snapshot, or note that it is shown or opened again. Raises peewee.IntegrityError."""
    hash_ = content.hash
    values = {"id": _id_of(hash_), "hash": hash_, "content": content.text}
    if not execute(STORE, values | {"shown_at": shown_at, "is_opened": is_opened}).rowcount:
        raise peewee.IntegrityError("another snapshot has this id")


def _delete_old(now: Millis) -> None:
    """Delete a few snapshots that were never opened. An opening at the same time keeps its own."""
    is_old = ~Snapshot.is_opened & (Snapshot.shown_at_ms < now - RETENTION_MS)
    oldest = Snapshot.select(Snapshot.id).where(is_old).order_by(Snapshot.shown_at_ms).limit(DELETED_AT_ONCE)
    if not isinstance(database.obj, Sqlite):
        oldest = oldest.for_update(skip_locked=True)
    # The condition again, because PostgreSQL checks it for a row that has changed since the subquery read it.
    Snapshot.delete().where(Snapshot.id.in_(oldest), is_old).execute()
