"""Handles the events by which players bet: ``upgrader:spin``, ``case:open`` and ``irl:open``."""

import logging
import time
from abc import ABC, abstractmethod
from decimal import Decimal
from functools import partial
from typing import Any, Generic

from flask import Flask

from models import proof_queries
from models.bets import Bet
from server.logs import clients_log
from server.metrics import Metrics
from server.realtime.packets import after_this_event, check_event_rate
from server.realtime.realtime import Event, Realtime
from services.accounts import access, users
from services.bets.cases import OpeningRequest
from services.bets.settlement import SettledBet
from services.bets.terms import LOST, OF_EVERY_BET, UPGRADER, WON, Game, InvalidRequest, Request
from services.bets.upgrader import SpinRequest
from services.container import Services
from services.shared.errors import Refusal
from services.shared.money import number_from_cents
from sockets.player_state import PlayerState
from sockets.proofs import ProofDelivery
from sockets.schemas import OpeningPfSchema, PfSchema, ReceiptSchema

MAX_REQUEST_ID = 64
CENTS_PER_COIN = 100

RECEIPT = "log:receipt"

FAILED = {"status": False, "error": "Something went wrong"}
"""The answer to a bet that failed, or was refused for a reason that players are not told."""

events_log = logging.getLogger("platform.events")


# Building a schema takes longer than dumping with it.
SPIN_PF = PfSchema()
OPENING_PF = OpeningPfSchema()
RECEIPT_PAYLOAD = ReceiptSchema()


class BetEvent(ABC, Generic[Request]):
    """Plays the bets that players request by one event, and sends the events that follow."""

    def __init__(
        self, app: Flask, running: Realtime, name: str, game: Game[Request], *, proofs: ProofDelivery
    ) -> None:
        self._name = name
        self._game = game
        self._refusals: tuple[type[Refusal], ...] = (*OF_EVERY_BET, *game.refusals)
        self._running = running
        self._services: Services = app.extensions["services"]
        self._metrics: Metrics = app.extensions["metrics"]
        self._state: PlayerState = app.extensions["player_state"]
        self._proofs = proofs
        # Flask-SocketIO's own decorator makes a request context for each event: a tenth of a spin's time.
        running.server.on(name, self.handle)

    def handle(self, sid: str, payload: object = None, *_ignored: object) -> dict[str, Any]:
        """Play one bet and answer it with an event; returns the acknowledgement, which is the same."""
        began = time.perf_counter()
        try:
            check_event_rate()
            with self._running.connections.event_in_flight(sid) as (user_id, token_number):
                outcome, answer = self._play(sid, user_id, token_number, payload)
        except self._refusals as refusal:
            # The text of the class, because that of a break contains its end.
            outcome, answer = type(refusal).text, self._answer(sid, refusal_answer(refusal))
        except Exception:  # noqa: BLE001  # the player gets an answer in any case
            clients_log.exception("bet failed", extra={"event": self._name})
            outcome, answer = "failed", self._answer(sid, FAILED)
        self._log(outcome, seconds=time.perf_counter() - began)
        self._count(outcome)
        return answer

    def _play(self, sid: str, user_id: int, token_number: int, payload: object) -> tuple[str, dict[str, Any]]:
        """Play the bet and send its events; returns its status and the acknowledgement."""
        try:
            with self._services.player_locks.hold(user_id):
                request = self.read(payload, user_id=user_id, token_number=token_number)
                played = self._services.bets.settle(self._game, request, clock=self._services.clock)
                answer = bet_answer(played)
                self._send(sid, played, answer)
        except Refusal:
            # These two are reported before any other reason. The settlement checks them for all others.
            player = users.get_by_id(user_id)
            access.check_token_number(player, token_number)
            access.check_not_suspended(player)
            raise
        return played.bet.status, answer

    @abstractmethod
    def read(self, payload: object, *, user_id: int, token_number: int) -> Request:
        """Check the types of a payload; the service checks its values. Raises InvalidRequest."""

    def _send(self, sid: str, played: SettledBet, answer: dict[str, Any]) -> None:
        """Send the events of a settled bet in the promised order, with the acknowledgement in the middle."""
        self._running.send(sid, [pf_event(played.bet), (self._name, answer)])
        # Not for the first answer to a repeated request id.
        if played.following is not None:
            self._count_coins(played)
            self._proofs.after_bet(sid, played)
        after_this_event(partial(self._after_acknowledgement, sid, played))

    def _after_acknowledgement(self, sid: str, played: SettledBet) -> None:
        """Send what clients expect behind the acknowledgement.

        The first answer to a repeated request id comes with the receipt, and no commitment or balance.
        """
        self._state.after_bet(played)
        receipt = {"nonce": played.bet.nonce, "receipt": self._services.bets.receipt(played)}
        self._running.send(sid, [(RECEIPT, RECEIPT_PAYLOAD.dump(receipt))])
        if played.is_late:
            # If this fails, the seed is shown as early as the settlement wrote.
            proof_queries.postpone(played.bet.id, due_at=played.bet.completed_at_ms)

    def _answer(self, sid: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Send the event of a bet that was not played; returns it as the acknowledgement."""
        self._running.send(sid, [(self._name, answer)])
        return answer

    def _log(self, outcome: str, *, seconds: float) -> None:
        """Log how the bet ended: ``won``, ``lost``, ``failed``, or the text of the refusal.

        Clients can cause refusals at will, so these are aggregated.
        """
        extra = {"event": self._name, "outcome": outcome}
        if outcome in (WON, LOST):
            events_log.info("event", extra=extra | {"ms": round(seconds * 1000, 1)})
        else:
            clients_log.info("event", extra=extra)

    def _count(self, outcome: str) -> None:
        if self._game.name == UPGRADER:
            self._metrics.spins.labels(outcome).inc()
        else:
            self._metrics.openings.labels(self._game.name, outcome).inc()

    def _count_coins(self, played: SettledBet) -> None:
        """Count a bet's wager, its payout, and the mean and variance of its payout, in coins.

        Openings of the free case are not counted, so that coins paid / wagered is the return to player.
        """
        bet, expected, metrics = played.bet, played.expectation, self._metrics
        if expected is None:
            return
        metrics.wagered[bet.game].inc(bet.wager_cents / CENTS_PER_COIN)
        metrics.paid[bet.game].inc(bet.payout_cents / CENTS_PER_COIN)
        metrics.expected[bet.game].inc(expected.mean_cents / CENTS_PER_COIN)
        metrics.variance[bet.game].inc(expected.variance_square_cents / CENTS_PER_COIN**2)


class SpinEvent(BetEvent[SpinRequest]):
    """Plays spins."""

    def read(self, payload: object, *, user_id: int, token_number: int) -> SpinRequest:
        given, common = _common_fields(payload)
        amount, item = given.get("amount"), given.get("item")
        # A boolean or a text as amount is refused by the service, as an invalid amount.
        if not isinstance(amount, bool | str | int | float | Decimal) or not isinstance(item, str):
            raise InvalidRequest
        return SpinRequest(user_id=user_id, token_number=token_number, amount=amount, item=item, **common)


class OpeningEvent(BetEvent[OpeningRequest]):
    """Plays openings of cases."""

    def read(self, payload: object, *, user_id: int, token_number: int) -> OpeningRequest:
        given, common = _common_fields(payload)
        case, snapshot = given.get("case"), given.get("snapshot")
        if not isinstance(case, str):
            raise InvalidRequest
        return OpeningRequest(
            user_id=user_id, token_number=token_number, case=case, snapshot=snapshot, **common
        )


def _common_fields(payload: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The payload as an object, and the fields of ``BetRequest``, with checked types. Raises InvalidRequest.

    Extra keys are ignored, and a null is a key left out.
    """
    if not isinstance(payload, dict):
        raise InvalidRequest
    price, request_id = payload.get("price"), payload.get("requestId")
    if isinstance(price, bool) or not isinstance(price, int | float | Decimal | None):
        raise InvalidRequest
    if request_id is not None and not _is_request_id(request_id):
        raise InvalidRequest
    return payload, {
        "client_seed": payload.get("clientSeed"),
        "server_seed_commitment": payload.get("serverSeedCommitment"),
        "price": price,
        "request_id": request_id,
    }


def _is_request_id(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= MAX_REQUEST_ID and value.isprintable()


def bet_answer(played: SettledBet) -> dict[str, Any]:
    """The answer to a settled bet: the item, what was paid, and the id of a prize that is kept."""
    bet = played.bet
    result = {
        "success": bet.status == WON,
        "amount": number_from_cents(bet.payout_cents),
        "item": bet.item,
    }
    if played.prize_id is not None:
        result["prizeId"] = str(played.prize_id)
    return {"status": True, "result": result}


def refusal_answer(error: Refusal) -> dict[str, Any]:
    """The answer to a bet that was refused."""
    return {"status": False, "error": error.text, **error.details}


def pf_event(bet: Bet) -> Event:
    """The event ``upgrader:pf``, ``case:pf`` or ``irl:pf``."""
    return f"{bet.game}:pf", (SPIN_PF if bet.ticket is None else OPENING_PF).dump(bet)
