"""Snapshots: the content of cases as canonical JSON, named by its hash.

A case page shows the hash of what can be won at that moment, and an opening refers to the snapshot that it
used. So anybody can verify later that charge, odds and prize were those that the player had seen.
"""

import hashlib
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import peewee
from cachetools import TTLCache

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

SHOWN_REMEMBERED = 20_000

SHOWN_FOR_MS = 600_000
"""How long a snapshot that was stored for a case page is not stored again. It is short, because the database
may be replaced by an older one while the server runs."""

WAIT_SECONDS = 0.1
"""How long a case page waits for other writers to store its snapshot."""
PAUSE_SECONDS = 5.0
"""After a snapshot could not be stored, none is stored for this time: each attempt may delay a page."""

RETENTION_MS = DAY_MS
"""How long a snapshot that is not opened stays in the database after it was last shown."""
DELETED_AT_ONCE = 4
STORE_ATTEMPTS = 3

ID_DIGITS = 15
"""Hexadecimal digits of the hash: 60 bits, which fit a column of 63."""

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
    text: str | None = Snapshot.select(Snapshot.content).where(Snapshot.hash == hash_).scalar()
    if text is None:
        raise SnapshotNotFound
    return text


class Snapshots:
    """Stores the snapshots that are shown and opened."""

    def __init__(self, *, clock: Callable[[], Millis]) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._shown: TTLCache[str, bool] = TTLCache(SHOWN_REMEMBERED, SHOWN_FOR_MS, timer=clock)
        self._next_attempt = 0.0
        """By the monotonic clock."""

    def show(self, content: Content) -> None:
        """Store the snapshot of a case that is about to be shown. A failure is only logged."""
        with self._guard:
            if content.hash in self._shown or time.monotonic() < self._next_attempt:
                return
            # Remembered first, so that concurrent pages do not store it too.
            self._shown[content.hash] = True
        now = self._clock()
        try:
            with writing_within(WAIT_SECONDS):
                _store(content, now=now, is_opened=False)
            # In a transaction of its own: one that has locked a new row waits for no old one.
            with writing_within(WAIT_SECONDS):
                _delete_old(now)
        except peewee.IntegrityError:
            # Somebody has found two contents whose hashes begin with the same digits. Other snapshots do not
            # pause for them, and this one is not tried again for ten minutes.
            log.warning("snapshot not stored", extra={"failure": "another snapshot has its id"})
        except (*UNAVAILABLE, peewee.DatabaseError) as error:
            with self._guard:
                self._shown.pop(content.hash, None)
                self._next_attempt = time.monotonic() + PAUSE_SECONDS
            log.warning("snapshot not stored", extra={"failure": type(error).__name__})

    def id_for_bet(self, content: Content) -> int:
        """The id of this snapshot, which is stored and from now on never deleted.

        Call it before the bet is settled, outside of its transaction. Raises one of UNAVAILABLE.
        """
        id_ = _opened_id(content.hash)
        if id_ is None:
            with writing():
                id_ = _store(content, now=self._clock(), is_opened=True)
        return id_


@reading()
def _opened_id(hash_: str) -> int | None:
    row = execute("SELECT id FROM snapshots WHERE hash = :hash AND is_opened", {"hash": hash_}).fetchone()
    return row[0] if row else None


def _store(content: Content, *, now: Millis, is_opened: bool) -> int:
    """Insert the snapshot, or note that it is shown or opened again. Returns its id.

    Raises peewee.IntegrityError when another content has this id.
    """
    # The id follows from the content, so that in a restored database an id that this process remembers
    # never is that of another snapshot.
    id_ = int(content.hash[:ID_DIGITS], 16)
    # Without a conflict target: of two concurrent inserts the second may meet the first in either index.
    insert = Snapshot.insert(
        id=id_, hash=content.hash, content=content.text, shown_at_ms=now, is_opened=is_opened
    ).on_conflict_ignore()
    change: dict[Any, Any] = {Snapshot.is_opened: True} if is_opened else {Snapshot.shown_at_ms: now}
    update = Snapshot.update(change).where(Snapshot.id == id_, Snapshot.hash == content.hash)
    # The row that the insert met may be deleted before the update. Then the next insert writes it.
    for _ in range(STORE_ATTEMPTS):
        insert.execute()
        if update.execute():
            return id_
    raise peewee.IntegrityError("another snapshot has this id")


def _delete_old(now: Millis) -> None:
    """Delete a few snapshots that were never opened. An opening at the same time keeps its own."""
    is_old = ~Snapshot.is_opened & (Snapshot.shown_at_ms < now - RETENTION_MS)
    oldest = Snapshot.select(Snapshot.id).where(is_old).order_by(Snapshot.shown_at_ms).limit(DELETED_AT_ONCE)
    if not isinstance(database.obj, Sqlite):
        oldest = oldest.for_update(skip_locked=True)
    # The condition again, because PostgreSQL checks it for a row that has changed since the subquery read it.
    Snapshot.delete().where(Snapshot.id.in_(oldest), is_old).execute()
