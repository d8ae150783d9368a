"""Handles the event ``upgrader:spin``."""

import time
from typing import Any

from flask import Flask

from blueprints.games import messages
from blueprints.games.proof_delivery import proofs
from blueprints.system.metrics import metrics
from blueprints.upgrader.spin_payload import read_spin
from models.bets import Bet
from server.current_services import get_services
from server.logs import log_event
from server.realtime.connections import Connection
from server.realtime.packets import after_this_event, check_event_rate
from server.realtime.server import Realtime, in_background, realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.shared.errors import PlatformError, Unauthorized
from services.upgrader.spin import WON, Spin

FAILED = "Something went wrong"


def install_upgrader(_app: Flask, running: Realtime) -> None:
    """Attach the upgrader's events to this server."""
    # Flask-SocketIO's own decorator makes a request context for each event: a tenth of a spin's time.
    running.server.on(messages.SPIN, spin)


def spin(sid: str, *arguments: Any) -> dict[str, Any]:
    """Play one spin and answer it with an event; returns the acknowledgement, which is the same."""
    began = time.perf_counter()
    try:
        check_event_rate()
        with realtime().connections.event_in_flight(sid) as connection:
            bet = _play(connection, arguments[0] if arguments else None)
    except PlatformError as refusal:
        outcome = refusal.text
        answer = _refuse(sid, outcome)
    except Exception as failure:  # noqa: BLE001  # the player gets an answer in any case
        log.error("spin failed", extra={"failure": safe_exception_summary(failure)})  # no message in the log
        outcome, answer = "failed", _refuse(sid, FAILED)
    else:
        outcome, answer = "won" if bet.status == WON else "lost", messages.spin_answer(bet)
    log_event(messages.SPIN, outcome=outcome, seconds=time.perf_counter() - began)
    metrics().count_spin(outcome)
    return answer


def _play(connection: Connection, payload: object) -> Bet:
    services = get_services()
    user_id = connection.user_id_at(services.clock())
    if user_id is None:
        raise Unauthorized
    with services.spin_locks.hold(user_id):
        settled = services.upgrader.play(user_id=user_id, request=read_spin(payload), clock=services.clock)
        _send(connection.sid, user_id, settled)
    if settled.is_late:
        in_background(services.upgrader.postpone, settled.bet)
    return settled.bet


def _send(sid: str, user_id: int, settled: Spin) -> None:
    """Send what follows a settled spin, in the promised order; the acknowledgement comes in the middle."""
    answer = messages.answer_event(messages.spin_answer(settled.bet))
    realtime().send([sid], [messages.pf_event(settled.bet), answer])
    if settled.following is None or settled.balances is None:
        return
    metrics().count_bet(settled.bet)
    proofs().schedule(settled.bet, sid=sid)
    changed = [messages.commitment_event(settled.following), messages.balance_event(settled.balances)]
    after_this_event(lambda: messages.send_to_player(user_id, changed))


def _refuse(sid: str, text: str) -> dict[str, Any]:
    answer = messages.refusal(text)
    realtime().send([sid], [messages.answer_event(answer)])
    return answer
