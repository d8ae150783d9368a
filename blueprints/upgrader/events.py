"""``upgrader:spin``: what a socket sends to play."""

import logging
import time
from typing import Any, cast

from flask import Flask
from flask_socketio import SocketIO

from blueprints.common.failures import describe
from blueprints.common.logs import Handled
from blueprints.common.notes import notes
from blueprints.common.platform import platform
from blueprints.realtime import outgoing
from blueprints.realtime.connections import Connection
from blueprints.realtime.proof_delivery import proofs
from blueprints.realtime.replies import Reply, Server
from blueprints.realtime.server import in_background, realtime
from blueprints.upgrader.spin_payload import read_spin
from models import patience
from services.errors import PlatformError, Unauthorized
from services.upgrader.spin import WON, Spin

log = logging.getLogger("platform.events")

FAILED = "Something went wrong"


def register(app: Flask, socketio: SocketIO) -> None:
    """Attach the upgrader's events to this server."""

    def handle(sid: str, reply: Reply, *arguments: Any) -> None:
        with app.app_context():
            spin(sid, reply, arguments[0] if arguments else None)

    # Without the request that Flask-SocketIO makes up for each event: a tenth of a spin's time, for nobody.
    cast("Server", socketio.server).reply_to(outgoing.SPIN, handle)


def spin(sid: str, reply: Reply, payload: object) -> None:
    """Play one spin, and answer as an event and to the client's acknowledgement."""
    began = time.perf_counter()
    try:
        with patience.one_answer(), realtime().connections.event_in_flight(sid) as connection:
            outcome = _play(connection, reply, payload)
    except PlatformError as refusal:
        outcome = refusal.text
        _refuse(reply, refusal.text)
    except Exception as failure:  # noqa: BLE001  # whatever it was, the player gets an answer
        log.error("spin failed", extra={"failure": describe(failure)})  # noqa: TRY400  # no message in the log
        outcome = "failed"
        _refuse(reply, FAILED)
    notes().events.add(Handled(time.time(), outgoing.SPIN, outcome, time.perf_counter() - began))


def _play(connection: Connection, reply: Reply, payload: object) -> str:
    """How it ended: won or lost."""
    services = platform()
    user_id = connection.user_id_at(services.clock())
    if user_id is None:
        raise Unauthorized
    services.spin_rate.spend(user_id)
    with services.spin_locks.hold(user_id):
        settled = services.upgrader.play(user_id=user_id, request=read_spin(payload), clock=services.clock)
        _tell(connection.sid, user_id, reply, settled)
    if settled.is_late:
        in_background(services.upgrader.postpone, settled.bet)
    return "won" if settled.bet.status == WON else "lost"


def _tell(sid: str, user_id: int, reply: Reply, settled: Spin) -> None:
    """Send what follows a settled spin, in the promised order."""
    answer = outgoing.spin_answer(settled.bet)
    pf_and_answer = [outgoing.pf_event(settled.bet), outgoing.answer_event(answer)]
    if settled.following is None or settled.balances is None:
        reply(answer, before=pf_and_answer)
        return
    proofs().schedule(settled.bet, sid=sid)
    changed = [outgoing.commitment_event(settled.following), outgoing.balance_event(settled.balances)]
    reply(answer, before=pf_and_answer, after=changed)
    outgoing.send_to_player(user_id, changed, besides=sid)


def _refuse(reply: Reply, text: str) -> None:
    answer = outgoing.refusal(text)
    reply(answer, before=[outgoing.answer_event(answer)])
