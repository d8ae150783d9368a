"""The joined sockets by player and address, and how many of them each may have."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from server.addresses import Keys, networks
from services.shared.clock import Millis
from services.shared.errors import Refusal, TooManyRequests, Unauthorized

MAX_SOCKETS = 10

MAX_EVENTS_IN_FLIGHT = 5


@dataclass
class Connection:
    """One socket. ``user_id`` is None for a spectator, who may only watch."""

    sid: str
    user_id: int | None = None
    address: str = ""
    expires_at: Millis | None = None
    token_number: int = 0
    """The number of its token."""
    events_in_flight: int = field(default=0, compare=False)
    last_sent: dict[str, Any] = field(default_factory=dict, compare=False)
    """For the areas: what identifies the last event that the socket was sent, by the event's name."""

    @property
    def networks(self) -> Keys:
        """The networks of the client's address."""
        return networks(self.address)

    @property
    def groups(self) -> list[Hashable]:
        """The client's networks, and the player if there is one."""
        of_address = [key for key, _ in self.networks]
        return of_address if self.user_id is None else [*of_address, self.user_id]


class Connections:
    """All joined sockets of this process, by player and by client address."""

    def __init__(self, *, per_address: int | None, clock: Callable[[], Millis]) -> None:
        """``per_address`` sockets at most from one address, players and spectators together.

        For IPv6 from one /64, and a multiple of them from one /48.
        """
        self._per_address = per_address
        self._clock = clock
        self._by_sid: dict[str, Connection] = {}
        # By the ids of players and by networks.
        self._by_group: dict[Hashable, dict[str, Connection]] = {}
        self._guard = threading.Lock()

    def add(self, connection: Connection) -> None:
        """Raises Refusal when the player or the address has as many as are allowed."""
        with self._guard:
            if self._is_full(connection):
                raise Refusal("Too many connections", status=429)
            for group in connection.groups:
                self._by_group.setdefault(group, {})[connection.sid] = connection
            self._by_sid[connection.sid] = connection

    def _is_full(self, connection: Connection) -> bool:
        """Whether the player or one of the networks has as many sockets as are allowed."""
        if len(self._by_group.get(connection.user_id, ())) >= MAX_SOCKETS:
            return True
        most = self._per_address
        return most is not None and any(
            len(self._by_group.get(key, ())) >= most * times for key, times in connection.networks
        )

    def remove(self, sid: str) -> None:
        """Remove a socket, unless it is unknown."""
        with self._guard:
            connection = self._by_sid.pop(sid, None)
            if connection is not None:
                for group in connection.groups:
                    self._leave(group, connection)

    def make_spectators(self, user_id: int, *, before: int) -> list[str]:
        """Make spectators of the player's sockets whose token numbers are lower; returns their ids."""
        with self._guard:
            sockets = self._by_group.get(user_id, {})
            ended = [connection for connection in sockets.values() if connection.token_number < before]
            for connection in ended:
                self._leave(user_id, connection)
                connection.user_id = None
        return [connection.sid for connection in ended]

    def _leave(self, group: Hashable, connection: Connection) -> None:
        sockets = self._by_group[group]
        del sockets[connection.sid]
        if not sockets:
            del self._by_group[group]

    def get(self, sid: str) -> Connection | None:
        return self._by_sid.get(sid)

    def sids(self) -> list[str]:
        """All sockets, spectators' included."""
        return list(self._by_sid)

    def players(self) -> list[int]:
        """The ids of all players with a socket."""
        return [group for group in list(self._by_group) if isinstance(group, int)]

    def player_of(self, sid: str) -> int | None:
        """The player on this socket; None for a spectator, and once the token has expired."""
        connection = self._by_sid.get(sid)
        return connection.user_id if connection and self._is_valid(connection) else None

    def sids_of(self, user_id: int) -> list[str]:
        """The player's sockets whose tokens are valid, oldest first."""
        with self._guard:
            sockets = list(self._by_group.get(user_id, {}).values())
        return [connection.sid for connection in sockets if self._is_valid(connection)]

    def _is_valid(self, connection: Connection) -> bool:
        return connection.expires_at is None or self._clock() < connection.expires_at

    @contextmanager
    def event_in_flight(self, sid: str) -> Iterator[tuple[int, int]]:
        """Count an event of this socket as being handled within the block.

        Yields its player and the number of its token. Raises TooManyRequests when five are,
        Unauthorized when the socket has gone or has no valid token.
        """
        connection = self._by_sid.get(sid)
        if connection is None:
            raise Unauthorized
        if connection.events_in_flight >= MAX_EVENTS_IN_FLIGHT:
            raise TooManyRequests
        if connection.user_id is None or not self._is_valid(connection):
            raise Unauthorized
        connection.events_in_flight += 1
        try:
            yield connection.user_id, connection.token_number
        finally:
            connection.events_in_flight -= 1

    def __len__(self) -> int:
        return len(self._by_sid)
