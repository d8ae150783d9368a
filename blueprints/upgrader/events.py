"""``upgrader:spin``: what a socket sends to play."""

import logging
import time
from typing import Any

from flask import Flask
from flask_socketio import SocketIO

from blueprints.common.failures import describe
from blueprints.common.platform import platform
from blueprints.realtime import outgoing
from blueprints.realtime.connections import Connection
from blueprints.realtime.proof_delivery import proofs
from blueprints.realtime.server import in_background, realtime
from blueprints.system.metrics import count_spin
from blueprints.upgrader.spin_payload import read_spin
from models import patience
from services.errors import PlatformError, Unauthorized
from services.upgrader.spin import Spin

log = logging.getLogger("platform.events")

FAILED = "Something went wrong"


def register(app: Flask, socketio: SocketIO) -> None:
    """Attach the upgrader's events to this server."""

    # Without the request that Flask-SocketIO makes up for each event: a tenth of a spin's time, for nobody.
    def handle(sid: str, *arguments: Any) -> dict[str, Any]:
        with app.app_context():
            return spin(sid, *arguments)

    socketio.server.on(outgoing.SPIN, handle)


def spin(sid: str, *arguments: Any) -> dict[str, Any]:
    """Play one spin, and answer as an event and, by returning it, to the client's acknowledgement."""
    began = time.perf_counter()
    try:
        with patience.one_answer(), realtime().connections.event_in_flight(sid) as connection:
            answer = _play(connection, arguments[0] if arguments else None)
            outcome = "won" if answer["result"]["success"] else "lost"
    except PlatformError as refusal:
        answer, outcome = _refuse(sid, refusal.text), refusal.text
    except Exception as failure:  # noqa: BLE001  # whatever it was, the player gets an answer
        log.error("spin failed", extra={"failure": describe(failure)})  # noqa: TRY400  # no message in the log
        answer, outcome = _refuse(sid, FAILED), "failed"
    count_spin(outcome)
    ms = round((time.perf_counter() - began) * 1000, 1)
    log.info("event", extra={"event": outgoing.SPIN, "outcome": outcome, "ms": ms})
    return answer


def _play(connection: Connection, payload: object) -> dict[str, Any]:
    services = platform()
    now = services.clock()
    user_id = connection.user_id_at(now)
    if user_id is None:
        raise Unauthorized
    services.spin_rate.spend(user_id)
    with services.spin_locks.hold(user_id):
        settled = services.upgrader.play(user_id=user_id, request=read_spin(payload), now=now)
        return _tell(connection.sid, user_id, settled)


def _tell(sid: str, user_id: int, settled: Spin) -> dict[str, Any]:
    """Send what follows a settled spin, in the promised order, and return its answer."""
    answer = outgoing.spin_answer(settled.bet)
    if settled.following is None:
        outgoing.send_answer(sid, answer)
        return answer
    proofs().schedule(settled.bet, sid=sid)
    outgoing.send_pf(sid, settled.bet)
    outgoing.send_answer(sid, answer)
    # These come after the acknowledgement, which is on its way once this event's handler has returned.
    in_background(_follow_up, user_id, settled)
    return answer


def _follow_up(user_id: int, settled: Spin) -> None:
    outgoing.send_commitment(user_id, settled.following)
    outgoing.send_balance(user_id, settled.balances)


def _refuse(sid: str, text: str) -> dict[str, Any]:
    answer = outgoing.refusal(text)
    outgoing.send_answer(sid, answer)
    return answer
