"""Handles the event ``upgrader:spin``."""

import time
from decimal import Decimal
from typing import Any

from flask import Flask

from blueprints.games import messages
from blueprints.games.player_state import PlayerState
from blueprints.games.proof_delivery import ProofDelivery
from blueprints.system.metrics import Metrics
from models.bets import Bet
from server.logs import log_event
from server.realtime.packets import after_this_event, check_event_rate
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.container import Services
from services.shared.errors import PlatformError
from services.upgrader.errors import InvalidRequest
from services.upgrader.spin import Spin, SpinRequest

FAILED = "Something went wrong"
MAX_REQUEST_ID = 64


def install_upgrader(app: Flask, running: Realtime) -> None:
    """Attach the upgrader's events to this server, and its look for the catalogue of other processes."""
    services = app.extensions["services"]
    running.every_two_seconds.append(services.catalogue.look)
    spins = SpinEvents(
        running,
        services=services,
        proofs=app.extensions["proofs"],
        player_state=app.extensions["player_state"],
        metrics=app.extensions["metrics"],
    )
    # Flask-SocketIO's own decorator makes a request context for each event: a tenth of a spin's time.
    running.server.on(messages.SPIN, spins.spin)


class SpinEvents:
    """Plays the spins that players request, and sends the events that follow."""

    def __init__(
        self,
        running: Realtime,
        *,
        services: Services,
        proofs: ProofDelivery,
        player_state: PlayerState,
        metrics: Metrics,
    ) -> None:
        self._running = running
        self._services = services
        self._proofs = proofs
        self._player_state = player_state
        self._metrics = metrics

    def spin(self, sid: str, *arguments: Any) -> dict[str, Any]:
        """Play one spin and answer it with an event; returns the acknowledgement, which is the same."""
        began = time.perf_counter()
        try:
            check_event_rate()
            with self._running.connections.event_in_flight(sid) as user_id:
                bet = self._play(sid, user_id, arguments[0] if arguments else None)
        except PlatformError as refusal:
            outcome = refusal.text
            answer = self._refuse(sid, outcome)
        except Exception as failure:  # noqa: BLE001  # the player gets an answer in any case
            log.error("spin failed", extra={"failure": safe_exception_summary(failure)})
            outcome, answer = "failed", self._refuse(sid, FAILED)
        else:
            outcome, answer = bet.status, messages.spin_answer(bet)
        log_event(messages.SPIN, outcome=outcome, seconds=time.perf_counter() - began)
        self._metrics.spins.labels(outcome).inc()
        return answer

    def _play(self, sid: str, user_id: int, payload: object) -> Bet:
        services = self._services
        with services.player_locks.hold(user_id):
            request = read_spin(payload)
            settled = services.upgrader.play(user_id=user_id, request=request, clock=services.clock)
            self._send(sid, user_id, settled)
        return settled.bet

    def _send(self, sid: str, user_id: int, settled: Spin) -> None:
        """Send the events of a settled spin in the promised order, with the acknowledgement in the middle."""
        bet = settled.bet
        self._running.send([sid], [messages.pf_event(bet), messages.answer_event(messages.spin_answer(bet))])
        if settled.following is None or settled.balances is None:
            return
        self._metrics.count_bet(bet)
        self._proofs.schedule(bet, sid=sid, is_late=settled.is_late)
        changed = [messages.commitment_event(settled.following), messages.balance_event(settled.balances)]
        after_this_event(lambda: self._player_state.send(user_id, changed))

    def _refuse(self, sid: str, text: str) -> dict[str, Any]:
        answer = messages.refusal(text)
        self._running.send([sid], [messages.answer_event(answer)])
        return answer


def read_spin(payload: object) -> SpinRequest:
    """Check the types of a payload; the service checks its values. Raises InvalidRequest.

    Extra keys are ignored, and a null is a key left out.
    """
    if not isinstance(payload, dict):
        raise InvalidRequest
    amount, item = payload.get("amount"), payload.get("item")
    # A boolean or a text as amount is refused by the service, as an invalid amount.
    if not isinstance(amount, bool | str | int | float | Decimal) or not isinstance(item, str):
        raise InvalidRequest
    price = payload.get("price")
    if price is not None and (isinstance(price, bool) or not isinstance(price, int | float | Decimal)):
        raise InvalidRequest
    return SpinRequest(
        amount=amount,
        item=item,
        client_seed=payload.get("clientSeed"),
        server_seed_commitment=payload.get("serverSeedCommitment"),
        price=price,
        request_id=_request_id(payload.get("requestId")),
    )


def _request_id(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_REQUEST_ID or not value.isprintable():
        raise InvalidRequest
    return value
