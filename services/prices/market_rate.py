"""At most 20 asks of the market in any minute, whatever process asks and however often it was restarted."""

from models.database import reading, writing
from models.prices import MarketSlot
from services.clock import Millis

MINUTE_MS = 60_000
SLOTS = 20


def take(*, now: Millis, leave: int = 0) -> int | None:
    """A slot that nobody has used for a minute; None when at most ``leave`` of them are left.

    Two that try for one slot: the guarded update gives it to one, the other tries for the next.
    """
    with writing():
        free = list(MarketSlot.select(MarketSlot.slot).where(_is_free(now)).scalars())
        for slot in free[: max(len(free) - leave, 0)]:
            query = MarketSlot.update(used_at_ms=now).where(MarketSlot.slot == slot, _is_free(now))
            if query.execute():
                return int(slot)
    return None


def used(slot: int, *, now: Millis) -> None:
    """The ask is over. Only now its minute begins: the market may have seen it as late as this."""
    with writing():
        MarketSlot.update(used_at_ms=now).where(
            MarketSlot.slot == slot, MarketSlot.used_at_ms < now
        ).execute()


@reading()
def free_slots(*, now: Millis) -> int:
    """How many asks are possible now."""
    return int(MarketSlot.select().where(_is_free(now)).count())


def _is_free(now: Millis) -> object:
    # A time in the future was written under another clock.
    return ~MarketSlot.used_at_ms.between(now - MINUTE_MS + 1, now + MINUTE_MS)
