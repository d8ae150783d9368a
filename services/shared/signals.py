"""What has changed: signals, which are short messages between processes, and cache tags.

A change gives its cache tag a new version; responses that were cached under an older version are invalid.
The other processes get a signal. If that is lost, or a command has made the change, it shows when cached
responses expire (blueprints/api/caching.py).
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from models.db.connection import database


class Signal(StrEnum):
    """What a message is about."""

    PLAYER_STATE = "player-state"
    """A player's balances or next commitment have changed."""
    PROOFS = "proofs"
    """Proofs of these players were released."""
    LIVE_BETS = "live-bets"
    """Bets are due."""
    BATTLES = "battles"
    """Battles have changed."""
    BATTLE_RECEIPTS = "battle-receipts"
    """The locks of battles are in a signed checkpoint."""
    CACHE = "cache"
    """The data of a cache tag has changed."""
    PRICES = "prices"
    """Requests wait for the prices of items, or the leader has asked for them."""
    LOGINS = "logins"
    """A player's logins have changed."""
    CONFIRMATION = "confirmation"
    """A machine has no record of the database, and asks the processes that have one to confirm it."""


def _are_ids(payload: Any) -> bool:
    return isinstance(payload, list) and all(type(each) is int and 0 <= each < 2**63 for each in payload)


def _are_events(payload: Any, *names: str) -> bool:
    return all(name in names and isinstance(content, dict) for name, content in payload)


_PAYLOADS: dict[Any, Callable[[Any], bool]] = {
    Signal.PLAYER_STATE: lambda payload: (
        _are_ids([payload["player"]]) and _are_events(payload["events"], "balance", "upgrader:commitment")
    ),
    Signal.PROOFS: _are_ids,
    Signal.LIVE_BETS: lambda payload: isinstance(payload, list) and _are_events(payload, "live-bets:new"),
    Signal.BATTLES: _are_ids,
    Signal.BATTLE_RECEIPTS: _are_ids,
    Signal.CACHE: lambda payload: all(isinstance(tag, str) for tag in payload["tags"]),
    Signal.PRICES: lambda payload: _are_ids([*payload.get("wanted", ()), *payload.get("asked", ())]),
    Signal.LOGINS: lambda payload: (
        _are_ids([payload["player"]])
        and isinstance(payload["logins"], list)
        and all(each in ("platform", "identity") for each in payload["logins"])
    ),
    Signal.CONFIRMATION: lambda payload: payload is None,
}


def is_signal(name: Any, payload: Any) -> bool:
    """Whether a process can have sent this payload under this name. Never raises."""
    try:
        return _PAYLOADS.get(name, lambda _: True)(payload)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


Handler = Callable[[Any], None]
"""Called with a message's payload, which is JSON. It must not block."""


class Signals:
    """Signals to and from the other processes. These are those of a single process: none is sent or lost.

    One may be lost, so its receiver also looks in the database from time to time.
    """

    is_cluster = False
    """Whether several processes may serve players."""

    def __init__(self) -> None:
        self._handlers: defaultdict[Signal, list[Handler]] = defaultdict(list)
        self.on_resumed: list[Callable[[], None]] = []
        """Called when signals arrive again after some may have been lost. They never block or raise."""

    @property
    def problem(self) -> str | None:
        """Why signals do not arrive or requests are not counted together, as found in the last seconds."""
        return None

    @property
    def state(self) -> str | None:
        """``ok``, or ``away`` while there is a problem. None in a single process."""
        if not self.is_cluster:
            return None
        return "away" if self.problem else "ok"

    def publish(self, name: Signal, payload: Any) -> None:
        """Send a signal to the other processes. Never waits, and never calls handlers of this process."""

    def on(self, name: Signal, handler: Handler) -> None:
        """Call the handler for each signal of another process."""
        self._handlers[name].append(handler)


class Tag(StrEnum):
    """The data that cached responses are built from."""

    BATTLES = "battles"
    BETS = "bets"
    CASES = "cases"
    """Cases and the items in them."""
    PLAYERS = "players"
    """Names and pictures of players."""


_numbers = itertools.count(1)
_versions = dict.fromkeys(Tag, 0)

connected: list[Signals] = []
"""The signals to other processes of the servers that run in this process."""


def tag_versions(tags: Iterable[Tag]) -> tuple[int, ...]:
    """The current versions of these tags. Data read after this call is at least as new."""
    return tuple(_versions[tag] for tag in tags)


def invalidate_after_commit(tag: Tag) -> None:
    """Invalidate responses with this tag after the current transaction commits; at once without one."""
    database.after_commit(lambda: invalidate(tag))


def invalidate(tag: Tag) -> None:
    """Invalidate responses with this tag, whose data this process has changed and committed."""
    invalidate_here(tag)
    for signals in connected:
        signals.publish(Signal.CACHE, {"tags": [tag]})


def invalidate_here(tag: Tag) -> None:
    """Invalidate the responses of this process with this tag, whose data has been committed."""
    _versions[tag] = next(_numbers)


def invalidate_received(signal: Any) -> None:
    """Invalidate the responses of this process whose data another process has changed."""
    # A process of another version may have other tags.
    for tag in set(Tag).intersection(signal["tags"]):
        invalidate_here(tag)
