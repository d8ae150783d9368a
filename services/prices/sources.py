"""The state of the price sources: when a turn is due, and whether a source is left alone for a while."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

import peewee

from models.database import reading, writing
from models.prices import PriceSource
from services.clock import Millis

LEASE_MS = 5 * 60_000
"""A turn that has not ended by then ended with its process."""

CLOCK_TOLERANCE_MS = 5 * 60_000
"""A stored time further ahead than this was written by a clock that has been set back since.

A time that is less far ahead is normal: the clocks of two processes differ, and a process may have read its
clock before it waited for the database.
"""

FAILURES_TO_PAUSE = 3
LONGEST_PAUSE_MS = 60 * 60_000


class Source(StrEnum):
    """Where a price comes from."""

    FEED = "feed"
    MARKET = "market"


@dataclass(frozen=True)
class Validators:
    """What a conditional request carries, as the source gave it."""

    etag: str | None = None
    last_modified: str | None = None


def adopt(source: Source, *, address: str) -> None:
    """Begin anew with a source whose address is another than before."""
    digest = hashlib.sha256(address.encode()).hexdigest()
    if state(source).address_digest == digest:
        return
    with writing():
        PriceSource.update(
            address_digest=digest,
            asked_at_ms=0,
            claimed_until_ms=0,
            succeeded_at_ms=None,
            failures=0,
            paused_until_ms=0,
            etag=None,
            last_modified=None,
        ).where(PriceSource.name == source, PriceSource.address_digest != digest).execute()


@reading()
def state(source: Source) -> PriceSource:
    """The source's row as it stands."""
    row: PriceSource = PriceSource.get_by_id(source)
    return row


def claim(source: Source, *, period: Millis, now: Millis, respects_pause: bool = True) -> bool:
    """Begin a turn when one is due: the last began a period ago, or its process is gone.

    Of two processes that claim at once, one gets the turn. A time more than CLOCK_TOLERANCE_MS ahead counts
    as long ago.
    """
    row = PriceSource
    is_old = ~row.asked_at_ms.between(now - period + 1, now + CLOCK_TOLERANCE_MS)
    is_left = ~row.claimed_until_ms.between(now + 1, now + LEASE_MS + CLOCK_TOLERANCE_MS)
    is_due = ((row.claimed_until_ms == 0) & is_old) | ((row.claimed_until_ms != 0) & is_left)
    if respects_pause:
        is_due &= ~row.paused_until_ms.between(now + 1, now + LONGEST_PAUSE_MS + CLOCK_TOLERANCE_MS)
    return _begin(source, now, is_due)


def claim_regardless(source: Source, *, now: Millis) -> None:
    """Begin a turn because somebody who may has asked for it."""
    _begin(source, now, peewee.Value(1) == 1)


def is_paused(row: PriceSource, now: Millis) -> bool:
    """Whether this source is left alone at this time."""
    return now < int(row.paused_until_ms) <= now + LONGEST_PAUSE_MS + CLOCK_TOLERANCE_MS


def _begin(source: Source, now: Millis, due: peewee.Expression) -> bool:
    with writing():
        query = PriceSource.update(asked_at_ms=now, claimed_until_ms=now + LEASE_MS)
        return bool(query.where(PriceSource.name == source, due).execute())


def give_back(source: Source, *, began_at: Millis) -> None:
    """End this turn, if it is still the last one, as if it had not begun."""
    row = PriceSource
    is_this = (row.asked_at_ms == began_at) & (row.claimed_until_ms != 0)
    with writing():
        row.update(asked_at_ms=0, claimed_until_ms=0).where(row.name == source, is_this).execute()


def succeeded(source: Source, *, now: Millis, **more: object) -> None:
    """End a turn that went well; ``more`` are further columns of the row."""
    values = {"claimed_until_ms": 0, "succeeded_at_ms": now, "failures": 0, "paused_until_ms": 0}
    with writing():
        PriceSource.update(**values, **more).where(PriceSource.name == source).execute()


def failed(source: Source, *, base_pause: Millis, now: Millis, at_once: bool = False) -> None:
    """End a turn that went badly. From the third in a row the source is left alone, twice as long each time.

    The first pause is ``base_pause``, the longest an hour. ``at_once``: it has asked for that itself.
    """
    with writing():
        PriceSource.update(failures=PriceSource.failures + 1, claimed_until_ms=0).where(
            PriceSource.name == source
        ).execute()
        failures = PriceSource.get_by_id(source).failures
        doublings = failures - (1 if at_once else FAILURES_TO_PAUSE)
        if doublings >= 0:
            pause = min(base_pause << min(doublings, 30), LONGEST_PAUSE_MS)
            PriceSource.update(paused_until_ms=now + pause).where(PriceSource.name == source).execute()
