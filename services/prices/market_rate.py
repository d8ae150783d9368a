"""At most 20 requests to the market in any minute, over all processes and restarts.

One process at a time asks: the one with the lease.
"""

from models.prices import MarketSlot
from services.shared.clock import Millis

MINUTE_MS = 60_000
REQUESTS_PER_MINUTE = 20
"""The number of rows in ``market_slots``."""


def take(*, now: Millis) -> bool:
    """Use one of this minute's requests; False when none is left. Needs a transaction."""
    # A time in the future was written before the clock was set back.
    is_free = ~MarketSlot.used_at_ms.between(now - MINUTE_MS + 1, now + MINUTE_MS)
    slot = MarketSlot.select(MarketSlot.slot).where(is_free).limit(1)
    return bool(MarketSlot.update(used_at_ms=now).where(MarketSlot.slot.in_(slot)).execute())
