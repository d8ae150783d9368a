"""The state of the price sources: when each may be asked next, shared by all processes."""

from enum import StrEnum

from models.db.connection import reading, writing
from models.prices import PriceSource
from services.shared.clock import Millis

LEASE_MS = 3 * 60_000
"""A refresh that has not ended after this time belongs to a process that has died; another takes over."""

CLOCK_TOLERANCE_MS = 5 * 60_000
"""How far the clocks of two processes may differ. A stored time that is too far ahead is ignored: it was
written before the clock was set back."""

FIRST_PAUSE_MS = 30_000
LONGEST_PAUSE_MS = Millis(10 * 60_000)


class Source(StrEnum):
    """Where a price comes from."""

    FEED = "feed"
    MARKET = "market"


@reading()
def state(source: Source) -> PriceSource:
    """The source's row."""
    row: PriceSource = PriceSource.get_by_id(source)
    return row


@writing()
def begin_if_due(source: Source, *, period: Millis, now: Millis) -> bool:
    """Begin a refresh if one is due and none is running; the next is due after ``period``.

    Of two processes that try concurrently, one gets True.
    """
    row = PriceSource
    is_running = row.running_until_ms.between(now + 1, now + LEASE_MS + CLOCK_TOLERANCE_MS)
    is_waiting = row.next_at_ms.between(now + 1, now + period + CLOCK_TOLERANCE_MS)
    has_died = row.running_until_ms != 0
    query = row.update(next_at_ms=now + period, running_until_ms=now + LEASE_MS)
    return bool(query.where(row.name == source, ~is_running, ~is_waiting | has_died).execute())


@writing()
def begin(source: Source, *, period: Millis, now: Millis) -> None:
    """Begin a refresh, even if it is not due."""
    row = PriceSource
    row.update(next_at_ms=now + period, running_until_ms=now + LEASE_MS).where(row.name == source).execute()


@writing()
def succeeded(source: Source, *, now: Millis) -> None:
    """End a refresh, or record an answer of the market."""
    row = PriceSource
    row.update(running_until_ms=0, succeeded_at_ms=now, failures=0).where(row.name == source).execute()


@writing()
def failed(source: Source, *, now: Millis, longest_pause: Millis = LONGEST_PAUSE_MS) -> None:
    """End a refresh that failed. The pause before the next is 30 seconds, doubled with each failure."""
    row = PriceSource
    failures = row.select(row.failures).where(row.name == source).scalar()
    pause = min(FIRST_PAUSE_MS << min(failures, 20), longest_pause)
    row.update(running_until_ms=0, failures=row.failures + 1, next_at_ms=now + pause).where(
        row.name == source
    ).execute()


@writing()
def release(source: Source, *, began_at: Millis) -> None:
    """Undo the start of the refresh that began at this time, unless another has begun since."""
    row = PriceSource
    is_this = (row.name == source) & (row.running_until_ms == began_at + LEASE_MS)
    row.update(next_at_ms=0, running_until_ms=0).where(is_this).execute()


def is_paused(source: Source, *, now: Millis) -> bool:
    """Whether the source has failed lately and must not be asked yet."""
    row = state(source)
    return bool(row.failures) and now < row.next_at_ms <= now + LONGEST_PAUSE_MS + CLOCK_TOLERANCE_MS


@writing()
def refresh_feed_soon() -> None:
    """Make a refresh of the feed due at once: items without a price have been imported."""
    PriceSource.update(next_at_ms=0, failures=0).where(PriceSource.name == Source.FEED).execute()
