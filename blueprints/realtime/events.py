"""Connecting and leaving: a player with a valid token, or a spectator without one."""

from flask import Flask, request
from flask_socketio import ConnectionRefusedError as Refused

from blueprints.common.failures import describe
from blueprints.common.platform import platform
from blueprints.common.repeated_lines import log
from blueprints.realtime import outgoing
from blueprints.realtime.connections import Connection
from blueprints.realtime.handshakes import NAMESPACE
from blueprints.realtime.proof_delivery import proofs
from blueprints.realtime.server import Realtime, realtime
from models import patience
from models.database import reading
from services import live_bets, users
from services.balances import balances_of
from services.errors import PlatformError, Unauthorized, UserNotFound
from services.server_seeds import Commitment

FAILED = "Something went wrong"


def register(app: Flask, running: Realtime) -> None:
    """Attach connecting and leaving to this server."""
    running.socketio.on_event("connect", connect)
    running.socketio.on_event("disconnect", disconnect)

    def welcome(sid: str) -> None:
        running.in_background(_welcome, sid)

    def abandon(sid: str) -> None:
        with app.app_context():
            _forget(sid)

    running.handshakes.on_joined.append(welcome)
    running.handshakes.on_abandoned.append(abandon)

    def announce(user_id: int, commitment: Commitment) -> None:
        with app.app_context():
            outgoing.send_to_player(user_id, [outgoing.commitment_event(commitment)])

    app.extensions["platform"].seeds.on_redraw = announce


def connect(auth: object = None) -> None:
    """Accept a socket, or refuse it with ``connect_error`` and the reason as its message.

    While the database is unavailable the transport is closed instead: then the client reconnects by itself
    until the database is back. A refusal would end that.
    """
    sid = request.sid  # type: ignore[attr-defined]
    if not realtime().manager.is_pre_connected(sid, NAMESPACE):
        # Not a handshake: a connected client has sent an event of this name.
        return
    try:
        with patience.one_answer():
            connection = _connection(sid, auth)
        realtime().connections.add(connection)
    except PlatformError as refusal:
        raise Refused(refusal.text) from None
    except Exception as failure:  # noqa: BLE001  # as the docstring says
        log.error("connect failed", extra={"failure": describe(failure)})
        realtime().close_transport(sid)
        raise Refused(FAILED) from None


def disconnect(_reason: str | None = None) -> None:
    """Forget a socket. Proofs that it has not confirmed are sent again."""
    sid = request.sid  # type: ignore[attr-defined]
    if realtime().manager.is_connected(sid, NAMESPACE):
        # Not the end of a connection: a client has sent an event of this name.
        return
    _forget(sid)


def _forget(sid: str) -> None:
    # In this order: a proof that is sent in between does not find the socket.
    realtime().connections.remove(sid)
    proofs().socket_gone(sid)


def _connection(sid: str, auth: object) -> Connection:
    token = auth.get("token") if isinstance(auth, dict) else None
    address = request.remote_addr or ""
    if token is None or token == "":
        return Connection(sid, address=address)
    services = platform()
    claims = services.tokens.check(token, now=services.clock())
    try:
        user = users.get(platform_id=claims.platform_id)
    except UserNotFound:
        raise Unauthorized from None
    return Connection(sid, user.id, address=address, expires_at=claims.expires_at)


def _welcome(sid: str) -> None:
    """Send a new socket its player's commitment, balance and proofs, then the newest live bets."""
    connection = realtime().connections.get(sid)
    if connection is None:
        return
    now = platform().clock()
    try:
        # One database connection for all of it: after a restart all clients reconnect at once.
        with reading():
            user_id = connection.user_id_at(now)
            if user_id is not None:
                _welcome_player(user_id, sid)
            realtime().send([sid], [outgoing.live_bets_event(live_bets.newest(now=now))])
    except Exception as failure:  # noqa: BLE001  # the socket stays connected; all of this is also served over HTTP
        log.error("welcome failed", extra={"failure": describe(failure)})


def _welcome_player(user_id: int, sid: str) -> None:
    commitment = outgoing.commitment_event(platform().seeds.announced(user_id=user_id))
    realtime().send([sid], [commitment, outgoing.balance_event(balances_of(user_id))])
    proofs().send_missed(user_id, sid=sid)
