"""Handles connecting and leaving. A client with a valid token is a player, one without a spectator."""

from typing import Any

from flask import request
from flask_socketio import ConnectionRefusedError as Refused

from models.db import waiting
from server.current_services import get_services
from server.logs import clients_log
from server.realtime.connections import Connection
from server.realtime.packets import refuse_unknown_event
from server.realtime.realtime import Realtime, current_realtime
from server.realtime.transport import NAMESPACE
from services.accounts import access
from services.shared.errors import Refusal, Unauthorized, UserNotFound

FAILED = "Something went wrong"


def register(realtime: Realtime) -> None:
    """Attach connecting and leaving to this server."""
    realtime.socketio.on_event("connect", connect)
    realtime.socketio.on_event("disconnect", disconnect)


def connect(auth: object = None) -> dict[str, Any] | None:
    """Accept a socket, or refuse it with ``connect_error`` and the reason as its message.

    While the database is unavailable the transport is closed instead: then the client reconnects by itself
    until the database is back. A refusal would end that.
    """
    sid = request.sid  # type: ignore[attr-defined]
    if not current_realtime().manager.is_pre_connected(sid, NAMESPACE):
        # Not a handshake: a connected client has sent an event of this name.
        return refuse_unknown_event()
    try:
        with waiting.limit_waits():
            connection = _connection(sid, auth)
        current_realtime().connections.add(connection)
    except Refusal as refusal:
        raise Refused(refusal.text) from None
    except Exception:  # noqa: BLE001  # as the docstring says
        clients_log.exception("connect failed")
        transport_id = current_realtime().manager.eio_sid_from_sid(sid, NAMESPACE)
        current_realtime().transports.close(transport_id)
        raise Refused(FAILED) from None
    return None


def disconnect(_reason: str | None = None) -> dict[str, Any] | None:
    """Forget a socket."""
    sid = request.sid  # type: ignore[attr-defined]
    if current_realtime().manager.is_connected(sid, NAMESPACE):
        # Not the end of a connection: a client has sent an event of this name.
        return refuse_unknown_event()
    current_realtime().forget(sid)
    return None


def _connection(sid: str, auth: object) -> Connection:
    token = auth.get("token") if isinstance(auth, dict) else None
    address = request.remote_addr or ""
    if token is None or token == "":
        return Connection(sid, address=address)
    services = get_services()
    claims = services.tokens.check(token, now=services.clock())
    try:
        user = access.player_of(claims)
    except UserNotFound:
        raise Unauthorized from None
    return Connection(
        sid, user.id, address=address, expires_at=claims.expires_at, token_number=claims.token_number
    )
