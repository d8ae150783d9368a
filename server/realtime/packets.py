"""Checks and counts each Socket.IO packet of a client before the library parses it."""

from collections.abc import Callable
from typing import Any

from flask import g
from socketio.packet import ACK, CONNECT, DISCONNECT, EVENT

from server.addresses import Keys, networks
from server.logs import clients_log
from server.rate_limiter import ClientRateLimiter, NewRateLimiter
from server.realtime.handshakes import Handshakes
from server.realtime.realtime import Realtime
from server.realtime.transport import NAMESPACE
from services.shared.errors import TooManyRequests
from settings import Settings

EVENTS, SECONDS = 30, 10.0
"""Events that one player, or one address without a token, may send in this time."""

HANDSHAKES_A_MINUTE = 300
"""Handshakes that one client address may begin."""

REFUSED_SECONDS = 0.5
"""How long a client that has sent too many events is not read. A flood then fills the client's own buffers
instead of taking this process's time."""


class Packets:
    """Handles each packet by its kind: joining, leaving, an event, or an acknowledgement."""

    def __init__(self, realtime: Realtime, handshakes: Handshakes, *, rate: ClientRateLimiter | None) -> None:
        """``rate`` limits the events of each player, or of an address without a token."""
        self._realtime = realtime
        self._handshakes = handshakes
        self._rate = rate
        self._handle_in_library = realtime.server.eio.handlers["message"]
        realtime.server.eio.on("message", self._message)

    def _message(self, transport_id: str, data: Any) -> None:
        """Handle a packet, or close a transport that sends a packet of any other kind.

        There are no binary events: after a packet that announces attachments the library would wait for them.
        """
        kind = int(data[0]) if isinstance(data, str) and data[:1] in "0123456789" and data else None
        if kind == EVENT:
            allowed = self._rate is None or not self._rate.hit(self._client(transport_id))
            self._realtime.in_background(self._event, transport_id, data, allowed)
            if not allowed:
                self._realtime.socketio.sleep(REFUSED_SECONDS)
        elif kind == CONNECT:
            self._handshakes.join(transport_id, lambda: self._handle(transport_id, data))
        elif kind == ACK:
            self._handle(transport_id, data)
        else:
            if kind == DISCONNECT:
                self._handle(transport_id, data)
            # Without a namespace the transport would stay open and not be counted.
            self._realtime.transports.close(transport_id)

    def _client(self, transport_id: str) -> Keys:
        """The id of the player who sent an event; the address when there is no valid token."""
        sid = self._realtime.manager.sid_from_eio_sid(transport_id, NAMESPACE)
        user_id = self._realtime.connections.player_of(sid)
        if user_id is not None:
            return [(user_id, 1)]
        environ = self._realtime.server.environ.get(transport_id, {})
        return networks(environ.get("REMOTE_ADDR", ""))

    def _event(self, transport_id: str, data: str, allowed: bool) -> None:  # noqa: FBT001  # of a background task
        """Let the library call the event's handler and acknowledge it, then do what follows.

        The library would start this task itself, but then nothing could be sent after the acknowledgement.
        """
        g.event_is_allowed = allowed
        g.after_event = []
        self._handle(transport_id, data)
        for follow_up in g.after_event:
            follow_up()

    def _handle(self, transport_id: str, data: str) -> None:
        try:
            self._handle_in_library(transport_id, data)
        except (ValueError, TypeError, LookupError):
            # The library parses packets without checking them first. A packet that can't be parsed can't be
            # answered: it contains the event's name and the id of the acknowledgement.
            clients_log.warning("packet refused", exc_info=True)
            self._realtime.transports.close(transport_id)


def handle_packets(realtime: Realtime, settings: Settings, new_rate_limiter: NewRateLimiter) -> None:
    """Handle the handshakes and the packets of this server's clients."""
    per_address = rate = None
    if settings.ratelimit_enabled:
        per_address = ClientRateLimiter(new_rate_limiter, "handshake", most=HANDSHAKES_A_MINUTE, seconds=60)
        rate = ClientRateLimiter(new_rate_limiter, "event", most=EVENTS, seconds=SECONDS)
    Packets(realtime, Handshakes(realtime, per_address=per_address), rate=rate)
    realtime.server.on("*", lambda *_event: refuse_unknown_event())


def after_this_event(follow_up: Callable[[], None]) -> None:
    """Call this after the current event's acknowledgement was sent, as ``flask.after_this_request`` does."""
    g.after_event.append(follow_up)


def check_event_rate() -> None:
    """Raises TooManyRequests when the current event is one more than its client may send."""
    if not g.event_is_allowed:
        raise TooManyRequests


def refuse_unknown_event() -> dict[str, Any]:
    """Answer an event that the server does not know in the shape of a refused bet.

    Otherwise a client would wait for the acknowledgement of a misspelt event until it gives up.
    """
    text = "Unknown event" if g.event_is_allowed else TooManyRequests.text
    return {"status": False, "error": text}
