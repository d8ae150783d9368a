"""Deadlines of connections a fifth as long as in production, for a server process of a test.

To be called before the app is created.
"""

from server.realtime import handshakes, transport
from server.realtime import server as realtime_server
from server.worker import connection, websocket

PARTS = 5


def shorten_deadlines() -> None:
    """Shorten how long a client may take for a head, a body, a message, a handshake or an upgrade."""
    for module in (connection, websocket, handshakes, transport, realtime_server):
        for name, seconds in list(vars(module).items()):
            if name.endswith("_SECONDS"):
                setattr(module, name, seconds / PARTS)


def shorten_pings(engine) -> None:
    """Shorten how often a client is pinged, and how long it may take to answer."""
    engine.ping_interval /= PARTS
    engine.ping_timeout /= PARTS
