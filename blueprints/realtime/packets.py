"""Closes connections that send packets which the platform's clients never send."""

import logging
from typing import Any

from flask_socketio import SocketIO
from socketio.packet import BINARY_ACK, BINARY_EVENT

from blueprints.common.failures import describe
from blueprints.realtime.transport import Transports

log = logging.getLogger("platform.realtime")


def refuse_foreign_packets(socketio: SocketIO, transports: Transports) -> None:
    """Close every transport that sends what can't be read, or announces binary attachments.

    There are no binary events here, and a packet that waits for attachments silences its socket for good.
    A packet that can't be read can't be answered: its event's name and its acknowledgement's id are in it.
    """
    server = socketio.server
    handle = server.eio.handlers["message"]
    binary = (str(BINARY_EVENT), str(BINARY_ACK))

    def message(transport: str, data: Any) -> None:
        if not isinstance(data, str) or data.startswith(binary):
            transports.close(transport)
            return
        try:
            handle(transport, data)
        except (ValueError, TypeError, LookupError) as failure:
            # The library parses a packet without checking its form first.
            log.warning("packet refused", extra={"failure": describe(failure)})
            transports.close(transport)

    server.eio.on("message", message)
