"""The live bets of all processes: one event for each bet that is due, to everybody."""

import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from models.db.connection import reading
from models.proof_queries import Proof
from server.realtime.realtime import Event, Realtime
from services.bets import live_bets
from services.container import Services
from services.shared.signals import Signal
from sockets.schemas import LiveBetSchema

MERGE_SECONDS = 0.2
"""The least time between two messages of bets to a socket: a message costs as much as ten bets in it."""

IN_FLIGHT_SECONDS = 1.5
"""Time from the end of a bet within which its signal arrives, unless it was lost."""

BETS = LiveBetSchema(many=True)


class LiveFeed:
    """Sends the events ``live-bets`` and ``live-bets:new``."""

    def __init__(self, realtime: Realtime, services: Services) -> None:
        self._realtime = realtime
        self._services = services
        # Bets that are not sent yet. While there are any, a task is about to send them.
        self._waiting: deque[Event] = deque()
        self._next_at = 0.0

    def announce(self, bets: Sequence[Proof]) -> None:
        """Send these bets, which are due now, to everybody in all processes, spectators included.

        Not those of suspended players.
        """
        self._announce([bet for bet in bets if not bet.is_suspended])

    def announce_settled(self, bet_ids: Iterable[int]) -> None:
        """Send the bets of battles in the same way."""
        self._announce(live_bets.public(bet_ids))

    def _announce(self, bets: Sequence[Any]) -> None:
        if bets:
            events = [("live-bets:new", payload) for payload in BETS.dump(bets)]
            self._services.signals.publish(Signal.LIVE_BETS, events)
            if self._waiting or time.monotonic() < self._next_at:
                self.forward(events)
            else:
                self._broadcast(events)

    def joined(self, sid: str) -> None:
        """Send a new socket the list of the newest live bets."""
        self._realtime.send(sid, [self._newest()])

    def forward(self, events: Any) -> None:
        """Send everybody in this process bets that some process has announced. Does not wait."""
        self._waiting.extend(events)
        if len(self._waiting) == len(events):
            self._realtime.in_background(self._send_waiting)

    def _send_waiting(self) -> None:
        self._realtime.socketio.sleep(max(self._next_at - time.monotonic(), 0))
        merged = []
        while self._waiting:
            merged.append(self._waiting.popleft())
        self._broadcast(merged)

    def _broadcast(self, events: Sequence[Event]) -> None:
        self._next_at = time.monotonic() + MERGE_SECONDS
        self._realtime.broadcast(events)

    def send_newest_to_all(self) -> None:
        """Send everybody in this process the list after signals may have been lost."""
        # Other processes may lose signals a little longer than this one.
        self._realtime.socketio.sleep(IN_FLIGHT_SECONDS)
        self._realtime.broadcast([self._newest()])

    @reading()
    def _newest(self) -> Event:
        return "live-bets", BETS.dump(live_bets.newest(now=self._services.clock()))
