"""Snapshots: the content of cases as canonical JSON, named by its hash.

A case page shows the hash of what can be won at that moment, and an opening refers to the snapshot that it
used, which is stored with it. So anybody can verify later that charge, odds and prize were those that the
player had seen.
"""

import hashlib
import re
from collections.abc import Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache, cached

from models.cases import CASE, IRL, Snapshot
from models.db.connection import reading
from services.bets import rolls
from services.bets.rolls import ContentItem
from services.cases import irl as irl_queries
from services.cases import queries, version
from services.cases.kinds import CaseKind
from services.cases.queries import ShownCase
from services.shared.background import in_slices
from services.shared.errors import CaseNotFound, Refusal
from services.shared.locks import BuildCondition
from services.shared.money import Cents

HASH = re.compile("[0-9a-f]{64}")
ID_DIGITS = 15
"""The hexadecimal digits of a hash that are the id of its snapshot."""


class SnapshotNotFound(Refusal):
    """No case has the content with this hash now, and none was opened with it."""

    status = 404
    text = "Snapshot not found"


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
        return rolls.winner(ticket, (item.width for item in self.items))

    def winner(self, ticket: int) -> ContentItem:
        """The item that this ticket wins."""
        return self.items[self.winning_place(ticket)]


def content_of(*, case_id: str, price_cents: int, items: Iterable[tuple[str, int, int]]) -> Content:
    """The content of a case with these items, rarest first: name, price in cents and width of each."""
    held = tuple(ContentItem(*item) for item in items)
    text = rolls.content_text(case_id, price_cents, held)
    return Content(case_id, Cents(price_cents), held, text, hashlib.sha256(text.encode()).hexdigest())


def content_of_case(case: ShownCase) -> Content | None:
    """The content of a case with market items. None if one of them has no price: it can't be opened."""
    items = []
    for item in case.items:
        if item.price_cents is None:
            return None
        items.append((item.market_hash_name, item.price_cents, item.chance))
    return content_of(case_id=case.id, price_cents=case.price_cents, items=items)


def content_of_irl_case(case: Any) -> Content:
    """The content of a case with real-life items."""
    items = ((item.name, item.price_cents, item.ticket_width) for item in case.items)
    return content_of(case_id=case.slug, price_cents=case.price_cents, items=items)


def parse(text: str) -> Content:
    """The content in a snapshot. Raises ValueError for any other text."""
    case_id, price_cents, items = rolls.read_content(text)
    return content_of(case_id=case_id, price_cents=price_cents, items=items)


@reading()
def stored(snapshot_id: int) -> Content:
    """The content of a stored snapshot. Raises ValueError if its hash is that of another content."""
    row = Snapshot.get_by_id(snapshot_id)
    with suppress(ValueError):
        content = parse(row.content)
        if content.hash == row.hash:
            return content
    raise ValueError(f"the snapshot {row.hash} differs from its hash")


def text_of(hash_: str) -> str:
    """The canonical JSON with this hash, of a content that was opened, or that a case has now.

    Raises SnapshotNotFound.
    """
    text = (_stored_text(hash_) or _present_text(hash_)) if HASH.fullmatch(hash_) else None
    if text is None:
        raise SnapshotNotFound
    return text


@reading()
def _stored_text(hash_: str) -> str | None:
    query = Snapshot.select(Snapshot.content).where(Snapshot.id == id_of(hash_), Snapshot.hash == hash_)
    text: str | None = query.scalar()
    return text


def _present_text(hash_: str) -> str | None:
    # The version is read before the cases, which are at least as new.
    game, case_id = _cases_by_hash(version.current()).get(hash_, (None, ""))
    content = None
    with suppress(CaseNotFound):
        if game == CASE:
            content = content_of_case(queries.get(case_id=case_id))
        elif game == IRL:
            content = content_of_irl_case(irl_queries.get(case_id=case_id))
    # The case may have changed since.
    return content.text if content is not None and content.hash == hash_ else None


@cached(LRUCache(maxsize=1), condition=BuildCondition())
def _cases_by_hash(_version: Hashable) -> dict[str, tuple[str, str]]:
    """The game and the id of every case that can be opened, by the hash of its content.

    Built once for each version of the cases, however many unknown hashes clients ask for. Takes a second for
    5,000 cases; other greenlets may run meanwhile.
    """
    found: dict[str, tuple[str, str]] = {}
    for case in in_slices(queries.listed(kinds=list(CaseKind)).filled(), 1):
        content = content_of_case(case)
        if content is not None:
            found[content.hash] = CASE, case.id
    for case in in_slices(irl_queries.list_all(), 1):
        found[content_of_irl_case(case).hash] = IRL, case.slug
    return found


def id_of(hash_: str) -> int:
    """The id of the snapshot with this hash."""
    return int(hash_[:ID_DIGITS], 16)
