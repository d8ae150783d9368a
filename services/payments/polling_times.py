"""When a provider is asked about a deposit or withdrawal: less and less often, until something changes."""

from typing import Any

from services.shared.clock import Millis


def soon(now: Millis, first_wait: int) -> dict[str, Any]:
    """The columns of a row that has just changed: it is asked about after the shortest pause."""
    return {"poll_at_ms": now + first_wait, "poll_wait_ms": first_wait}


def at_once(now: Millis, first_wait: int) -> dict[str, Any]:
    """The columns of a row about which the provider has sent a message."""
    return {"poll_at_ms": now, "poll_wait_ms": first_wait}


def later(now: Millis, wait: int, longest_wait: int) -> dict[str, Any]:
    """The columns of a row that is being asked about: the pause after the next one is twice as long."""
    return {"poll_at_ms": now + wait, "poll_wait_ms": min(wait * 2, longest_wait)}
