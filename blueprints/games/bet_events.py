"""Handles the events by which players bet: the refusals, the answer, and the events that follow."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from flask import Flask

from blueprints.games import messages
from blueprints.games.player_state import PlayerState
from blueprints.games.proof_delivery import ProofDelivery
from server.logs import log_event
from server.metrics import Metrics
from server.realtime.packets import after_this_event, check_event_rate
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.accounts import sessions
from services.container import Services
from services.games.errors import InvalidRequest
from services.games.play import PlayedBet
from services.shared.errors import PlatformError

MAX_REQUEST_ID = 64


@dataclass(frozen=True, kw_only=True)
class BetEvent:
    """An event by which players bet."""

    name: str
    """For example ``upgrader:spin``. The acknowledgement and an event of this name carry the answer."""
    play: Callable[[int, object], PlayedBet]
    """Called with the player's id and the payload, under the player's lock. Raises PlatformError."""
    answer: Callable[[PlayedBet], dict[str, Any]]
    count: Callable[[str], None]
    """Called with how the bet ended: its status, ``failed``, or the text of the refusal."""


def install_bet_event(app: Flask, running: Realtime, event: BetEvent) -> None:
    """Handle this event on this server."""
    handler = _Handler(
        event,
        running,
        services=app.extensions["services"],
        proofs=app.extensions["proofs"],
        player_state=app.extensions["player_state"],
        metrics=app.extensions["metrics"],
    )
    # Flask-SocketIO's own decorator makes a request context for each event: a tenth of a spin's time.
    running.server.on(event.name, handler.handle)


class _Handler:
    """Plays the bets that players request, and sends the events that follow."""

    def __init__(
        self,
        event: BetEvent,
        running: Realtime,
        *,
        services: Services,
        proofs: ProofDelivery,
        player_state: PlayerState,
        metrics: Metrics,
    ) -> None:
        self._event = event
        self._running = running
        self._services = services
        self._proofs = proofs
        self._player_state = player_state
        self._metrics = metrics

    def handle(self, sid: str, *arguments: Any) -> dict[str, Any]:
        """Play one bet and answer it with an event; returns the acknowledgement, which is the same."""
        began = time.perf_counter()
        try:
            check_event_rate()
            with self._running.connections.event_in_flight(sid) as user_id:
                played = self._play(sid, user_id, arguments[0] if arguments else None)
        except PlatformError as refusal:
            # The text of the class, because that of a break contains its end.
            outcome = type(refusal).text
            answer = self._answer(sid, messages.refusal(refusal))
        except Exception as failure:  # noqa: BLE001  # the player gets an answer in any case
            summary = safe_exception_summary(failure)
            log.error("bet failed", extra={"event": self._event.name, "failure": summary})
            outcome, answer = "failed", self._answer(sid, messages.FAILED)
        else:
            outcome, answer = played.bet.status, self._event.answer(played)
        log_event(self._event.name, outcome=outcome, seconds=time.perf_counter() - began)
        self._event.count(outcome)
        return answer

    def _play(self, sid: str, user_id: int, payload: object) -> PlayedBet:
        try:
            with self._services.player_locks.hold(user_id):
                played = self._event.play(user_id, payload)
                self._send(sid, user_id, played)
        except PlatformError:
            # Suspension comes before all other reasons. The settlement finds it, so only refused bets ask.
            sessions.check_not_suspended(user_id)
            raise
        return played

    def _send(self, sid: str, user_id: int, played: PlayedBet) -> None:
        """Send the events of a settled bet in the promised order, with the acknowledgement in the middle."""
        bet = played.bet
        self._running.send([sid], [messages.pf_event(bet), (self._event.name, self._event.answer(played))])
        if played.following is None or played.balances is None:
            return
        self._metrics.count_bet(played)
        self._proofs.schedule(bet, sid=sid, is_late=played.is_late)
        changed = [messages.commitment_event(played.following), messages.balance_event(played.balances)]
        after_this_event(lambda: self._player_state.send(user_id, changed))

    def _answer(self, sid: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Send the event of a bet that was not played; returns it as the acknowledgement."""
        self._running.send([sid], [(self._event.name, answer)])
        return answer


def common_fields(payload: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The payload as an object, and the fields of ``BetRequest``, with checked types. Raises InvalidRequest.

    The service checks their values. Extra keys are ignored, and a null is a key left out.
    """
    if not isinstance(payload, dict):
        raise InvalidRequest
    price = payload.get("price")
    if price is not None and (isinstance(price, bool) or not isinstance(price, int | float | Decimal)):
        raise InvalidRequest
    return payload, {
        "client_seed": payload.get("clientSeed"),
        "server_seed_commitment": payload.get("serverSeedCommitment"),
        "price": price,
        "request_id": _request_id(payload.get("requestId")),
    }


def _request_id(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_REQUEST_ID or not value.isprintable():
        raise InvalidRequest
    return value
