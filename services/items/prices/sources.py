"""The price sources: when each may be asked next, how it is asked, which of its prices are accepted.

All processes share the state of the sources. What changes it needs a transaction: that of the lease.
"""

from dataclasses import dataclass, field
from enum import StrEnum

import peewee
import requests

from models.db.connection import reading, writing
from models.items import PriceSource
from services.shared import http_client
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents

CLOCK_TOLERANCE_MS = 5 * 60_000
"""How far a clock may be set back. A stored time that is further ahead is ignored."""

AT_ONCE = 0
"""A time of the next refresh that only ``refresh_feed_soon`` sets, also while a refresh runs."""

FIRST_PAUSE_MS = 30_000
LONGEST_PAUSE_MS = Millis(10 * 60_000)

MAX_ERROR = 200

MAX_FACTOR = 10
"""A price that grows or shrinks by more than this in one step is held back until an operator accepts it."""

NAMES_REPORTED = 20


class Source(StrEnum):
    """Where a price comes from."""

    FEED = "feed"
    MARKET = "market"


class RefreshOutcome(StrEnum):
    """How one refresh from the feed, or one request to the market, ended."""

    APPLIED = "applied"
    NO_PRICE = "no price"
    BAD_DOCUMENT = "bad document"
    UNAVAILABLE = "unavailable"


class SourceFailed(Refusal):
    """The source is unreachable, slow or answers with an error. ``str()`` is one line without its URL."""

    outcome = RefreshOutcome.UNAVAILABLE


class BadDocument(SourceFailed):
    """The response is too large, cut off, or has another shape or currency."""

    outcome = RefreshOutcome.BAD_DOCUMENT


def fetch(
    url: str,
    *,
    name: str,
    seconds: float,
    max_bytes: int,
    params: dict[str, str] | None = None,
    redirects: int = 0,
) -> requests.Response:
    """GET a whole response of whatever status, within ``seconds`` and ``max_bytes``.

    ``name`` stands for the source in error texts, which never contain its URL. Raises SourceFailed, and
    BadDocument for a response that is too large.
    """
    session = http_client.bounded(
        requests.Session(), seconds=seconds, max_bytes=max_bytes, redirects=redirects
    )
    try:
        with session as opened:
            return opened.get(url, params=params, headers={"Accept": "application/json"})
    except http_client.ResponseTooLarge:
        raise BadDocument(f"the response of {name} is too large") from None
    except requests.Timeout:
        raise SourceFailed(f"{name} took too long") from None
    except requests.ConnectionError:
        raise SourceFailed(f"{name} can't be reached, or broke off") from None
    except requests.RequestException:
        raise SourceFailed(f"the request to {name} failed") from None


@reading()
def state(source: Source) -> PriceSource:
    """The source's row."""
    row: PriceSource = PriceSource.get_by_id(source)
    return row


def is_due(source: Source, *, period: Millis, now: Millis) -> bool:
    """Whether the source is to be refreshed now."""
    return not now < state(source).next_at_ms <= now + period + CLOCK_TOLERANCE_MS


def begin(source: Source, *, now: Millis) -> None:
    """Begin a refresh. It stays due until it ends, so the next leader repeats it if this one dies."""
    PriceSource.update(next_at_ms=now).where(PriceSource.name == source).execute()


def succeeded(source: Source, *, now: Millis, next_at: Millis) -> None:
    """End a refresh, or record an answer of the market.

    The next refresh is due at ``next_at``, or at once if that was asked for since the refresh began.
    """
    row = PriceSource
    next_at_ms = peewee.Case(row.next_at_ms, [(AT_ONCE, AT_ONCE)], next_at)
    row.update(next_at_ms=next_at_ms, succeeded_at_ms=now, failures=0).where(row.name == source).execute()


def failed(
    source: Source, *, error: SourceFailed, now: Millis, longest_pause: Millis = LONGEST_PAUSE_MS
) -> None:
    """End a refresh that failed. The pause before the next is 30 seconds, doubled with each failure."""
    row = PriceSource
    failures = row.select(row.failures).where(row.name == source).scalar()
    pause = min(FIRST_PAUSE_MS << min(failures, 20), longest_pause)
    values = {"next_at_ms": now + pause, "last_error": str(error)[:MAX_ERROR]}
    row.update(failures=row.failures + 1, **values).where(row.name == source).execute()


def is_paused(source: Source, *, now: Millis) -> bool:
    """Whether the source has failed lately and must not be asked yet."""
    row = state(source)
    return bool(row.failures) and now < row.next_at_ms <= now + LONGEST_PAUSE_MS + CLOCK_TOLERANCE_MS


def accept_jumps_soon(*, now: Millis) -> None:
    """Let the next refresh of the feed accept prices that were held back. Needs a transaction."""
    PriceSource.update(jumps_accepted_at_ms=now).where(PriceSource.name == Source.FEED).execute()


def jumps_were_accepted(*, asked_at: int) -> None:
    """Hold prices back again, unless somebody has asked once more since. Needs a transaction."""
    is_this = (PriceSource.name == Source.FEED) & (PriceSource.jumps_accepted_at_ms == asked_at)
    PriceSource.update(jumps_accepted_at_ms=None).where(is_this).execute()


@writing()
def refresh_feed_soon() -> None:
    """Make a refresh of the feed due at once: items without a price have been imported."""
    PriceSource.update(next_at_ms=AT_ONCE, failures=0).where(PriceSource.name == Source.FEED).execute()


class Verdict(StrEnum):
    """Whether a source's price is stored."""

    NEW = "new"
    SAME = "same"
    HELD_BACK = "held back"


def judge(stated: object, *, current: Cents | None, accept_jumps: bool) -> Verdict:
    """Whether a source's price replaces the stored one.

    A price that is not a whole number of cents within the bounds is never accepted. A first price, or one
    after 0, is not a jump. A change to 0 is one: it means that nothing is on sale.
    """
    if isinstance(stated, bool) or not isinstance(stated, int) or not 0 <= stated <= MAX_AMOUNT_CENTS:
        return Verdict.HELD_BACK
    if stated == current:
        return Verdict.SAME
    if not accept_jumps and _is_jump(stated, current):
        return Verdict.HELD_BACK
    return Verdict.NEW


def _is_jump(stated: int, current: Cents | None) -> bool:
    if not stated or not current:
        return not stated
    return stated > current * MAX_FACTOR or stated * MAX_FACTOR < current


@dataclass(kw_only=True)
class ItemCounts:
    """How many items a refresh updated, kept, held back or did not find."""

    updated: int = 0
    unchanged: int = 0
    held_back: int = 0
    missing: int = 0
    """Items that the source has no price for."""
    custom: int = 0
    """Items with a custom price, which is never changed."""
    unknown: int = 0
    """Prices in the document for which there is no item."""
    held_back_items: list[str] = field(default_factory=list)
    """The first 20 of the items held back."""

    def count(self, verdict: Verdict, name: str) -> None:
        """Count one more item by the verdict on its price."""
        if verdict is Verdict.NEW:
            self.updated += 1
        elif verdict is Verdict.SAME:
            self.unchanged += 1
        else:
            self.held_back += 1
            if len(self.held_back_items) < NAMES_REPORTED:
                self.held_back_items.append(name)

    def add(self, other: "ItemCounts") -> None:
        """Add the counts of another refresh."""
        for counted in ("updated", "unchanged", "held_back", "missing", "custom", "unknown"):
            setattr(self, counted, getattr(self, counted) + getattr(other, counted))
        self.held_back_items = (self.held_back_items + other.held_back_items)[:NAMES_REPORTED]


@dataclass(frozen=True, kw_only=True)
class RefreshResult:
    """The result of one refresh from the feed, or of one request to the market."""

    source: Source
    outcome: RefreshOutcome = RefreshOutcome.APPLIED
    counts: ItemCounts = field(default_factory=ItemCounts)
    failure: SourceFailed | None = None
