"""Keeps tiles, entry bundles and revealed bets as bytes: who reads the log must not delay those who play."""

from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import wraps
from typing import Any, cast

from cachetools import LRUCache
from flask import current_app

from blueprints.api.caching import IMMUTABLE, Representation
from models.db.waiting import FifoSemaphore
from server.addresses import AddressSlots, hold_in_time
from server.http.strict_requests import current_request
from services.shared.background import pause

MAX_BYTES = 32 * 1024 * 1024
"""About 200 full bundles with their revealed bets. nginx keeps more (deploy/nginx.conf)."""

ENTRY_OVERHEAD_BYTES = 1024

REQUESTS_AT_ONCE = 8
"""Of one address."""

EXTENSION = "log_responses"
Key = tuple[Hashable, ...]


class KeptResponses:
    """The responses of one app. One is made at a time, whoever asks for them."""

    def __init__(self) -> None:
        self.slots = AddressSlots(REQUESTS_AT_ONCE)
        self._kept: LRUCache[Key, Representation] = LRUCache(MAX_BYTES, getsizeof=_size)
        self._making = FifoSemaphore(1)

    def get(self, key: Key, make: Callable[[], Representation], *, moment: Key = ()) -> Representation:
        """The response of this key. One that is not immutable is kept for this moment only.

        Raises Unavailable when it can't be made in time, and what ``make`` raises.
        """
        found = self._find(key, moment)
        if found is None:
            with hold_in_time(self._making):
                # Another request may have made it meanwhile.
                found = self._find(key, moment)
                if found is None:
                    found = make()
                    with suppress(ValueError):  # larger than all that is kept
                        self._kept[key if found.cache_control == IMMUTABLE else (*key, *moment)] = found
        return found

    def _find(self, key: Key, moment: Key) -> Representation | None:
        return self._kept.get(key) or self._kept.get((*key, *moment))


def _size(response: Representation) -> int:
    return ENTRY_OVERHEAD_BYTES + len(response.identity) + len(response.gzipped or b"")


def kept_responses() -> KeptResponses:
    """Those of the current app."""
    if EXTENSION not in current_app.extensions:
        current_app.extensions[EXTENSION] = KeptResponses()
    return cast("KeptResponses", current_app.extensions[EXTENSION])


def few_at_once(view: Callable[..., Any]) -> Callable[..., Any]:
    """Run a view for a few requests of an address at once. The next ones wait."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with kept_responses().slots.hold(current_request().remote_addr or ""):
            # Without a pause, those of all connections would run in a row.
            pause()
            return view(*args, **kwargs)

    return wrapper
