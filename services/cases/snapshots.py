"""Snapshots: the content of cases as canonical JSON, named by its hash.

A case page shows the hash of what can be won at that moment, and an opening refers to the snapshot that it
used, which is stored with it. So anybody can verify later that charge, odds and prize were those that the
player had seen.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from models.db.connection import reading
from models.snapshots import Snapshot
from services.cases.queries import ShownCase
from services.fairness import tickets
from services.shared import decimal_json
from services.shared.errors import Refusal
from services.shared.money import Cents

HASH = re.compile("[0-9a-f]{64}")
ID_DIGITS = 15
"""The hexadecimal digits of a hash that are the id of its snapshot."""

WHOLE = re.compile("0|[1-9][0-9]{0,18}")


class SnapshotNotFound(Refusal):
    """No case has the content with this hash now, and none was opened with it."""

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
    """The items and the price of a case, in the order of its page, as canonical JSON and with its hash."""

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

    ``content_of_case`` in services/cases/irl/queries.py does it for cases with real-life items.
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
def stored(snapshot_id: int) -> Content:
    """The content of a stored snapshot. Raises InvalidSnapshot if its hash is that of another content."""
    row = Snapshot.get_by_id(snapshot_id)
    try:
        content = parse(row.content)
    except InvalidSnapshot:
        content = None
    if content is None or content.hash != row.hash:
        raise InvalidSnapshot(f"the snapshot {row.hash} differs from its hash")
    return content


@reading()
def text_of(hash_: str) -> str:
    """The canonical JSON with this hash, of a content that was opened. Raises SnapshotNotFound."""
    if not HASH.fullmatch(hash_):
        raise SnapshotNotFound
    query = Snapshot.select(Snapshot.content).where(Snapshot.id == id_of(hash_), Snapshot.hash == hash_)
    text: str | None = query.scalar()
    if text is None:
        raise SnapshotNotFound
    return text


def id_of(hash_: str) -> int:
    """The id of the snapshot with this hash."""
    return int(hash_[:ID_DIGITS], 16)
