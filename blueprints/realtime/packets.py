"""Messages that no client of ours sends: the connection they come over is closed."""

import logging
from typing import Any

from flask_socketio import SocketIO
from socketio.packet import BINARY_ACK, BINARY_EVENT

from blueprints.common.failures import describe

log = logging.getLogger("platform.realtime")


def refuse_foreign_packets(socketio: SocketIO) -> None:
    """Close every transport that sends what can't be read, or announces binary attachments.

    There are no binary events here, and a packet that waits for attachments silences its socket for good.
    What can't be read has nobody to be answered to: the event's name and its acknowledgement are in it.
    """
    server = socketio.server
    handle = server.eio.handlers["message"]
    binary = (str(BINARY_EVENT), str(BINARY_ACK))

    def message(transport: str, data: Any) -> None:
        if not isinstance(data, str) or data.startswith(binary):
            server.eio.disconnect(transport)
            return
        try:
            handle(transport, data)
        except (ValueError, TypeError, LookupError) as failure:
            # The library looks into a packet before it knows that it is one.
            log.warning("packet refused", extra={"failure": describe(failure)})
            server.eio.disconnect(transport)

    server.eio.on("message", message)
