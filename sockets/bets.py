"""Handles the events by which players bet: ``upgrader:spin``, ``case:open`` and ``irl:open``."""

import logging
import time
from abc import ABC, abstractmethod
from decimal import Decimal
from functools import partial
from typing import Any, Generic

from flask import Flask

from models.cases import CASE, IRL
from server.logs import clients_log
from server.metrics import CENTS_PER_COIN, Metrics
from server.realtime.packets import after_this_event, check_event_rate
from server.realtime.realtime import Realtime
from services.accounts import access, users
from services.bets.cases import OpeningRequest
from services.bets.settlement import NewBet, SettledBet
from services.bets.terms import LOST, OF_EVERY_BET, UPGRADER, WON, Game, InvalidRequest, RequestT
from services.bets.upgrader import SpinRequest
from services.container import Services
from services.shared.errors import Refusal
from services.shared.money import number_from_cents
from sockets.player_state import PlayerState
from sockets.proofs import ProofDelivery
from sockets.schemas import OpeningPfSchema, PfSchema, ReceiptSchema

MAX_REQUEST_ID = 64

RECEIPT = "log:receipt"

FAILED = {"status": False, "error": "Something went wrong"}
"""The answer to a bet that failed, or was refused for a reason that players are not told."""

events_log = logging.getLogger("platform.events")

# Building a schema takes longer than dumping with it.
PF = {UPGRADER: PfSchema(), CASE: OpeningPfSchema(), IRL: OpeningPfSchema()}
RECEIPT_PAYLOAD = ReceiptSchema()


class BetEvent(ABC, Generic[RequestT]):
    """Plays the bets that players request by one event, and sends the events that follow."""

    def __init__(
        self, app: Flask, realtime: Realtime, name: str, game: Game[RequestT], *, proofs: ProofDelivery
    ) -> None:
        self._name = name
        self._game = game
        self._refusals: tuple[type[Refusal], ...] = (*OF_EVERY_BET, *game.refusals)
        self._realtime = realtime
        self._services: Services = app.extensions["services"]
        self._metrics: Metrics = app.extensions["metrics"]
        self._state: PlayerState = app.extensions["player_state"]
        self._proofs = proofs
        # Flask-SocketIO's own decorator makes a request context for each event: a tenth of a spin's time.
        realtime.server.on(name, self.handle)

    def handle(self, sid: str, payload: object = None, *_ignored: object) -> dict[str, Any]:
        """Play one bet and answer it with an event; returns the acknowledgement, which is the same."""
        began = time.perf_counter()
        try:
            check_event_rate()
            with self._realtime.connections.event_in_flight(sid) as (user_id, token_number):
                result, answer = self._play(sid, user_id, token_number, payload)
        except self._refusals as refusal:
            # The text of a break contains its end, that of the class does not: metrics need fixed labels.
            result, answer = type(refusal).text, {"status": False, "error": refusal.text, **refusal.details}
            self._realtime.send(sid, [(self._name, answer)])
        except Exception:  # noqa: BLE001  # the player gets an answer in any case
            clients_log.exception("bet failed", extra={"event": self._name})
            result, answer = "failed", FAILED
            self._realtime.send(sid, [(self._name, answer)])
        self._log_result(result, seconds=time.perf_counter() - began)
        self._count_result(result)
        return answer

    def _play(self, sid: str, user_id: int, token_number: int, payload: object) -> tuple[str, dict[str, Any]]:
        """Play the bet and send its events; returns its status and the acknowledgement."""
        try:
            with self._services.player_locks.hold(user_id):
                request = self.read(payload, user_id=user_id, token_number=token_number)
                settled = self._services.bets.settle(self._game, request)
                answer = _answer(settled)
                self._send(sid, settled, answer)
        except Refusal:
            # A player who is logged out or suspended learns that, whatever else is wrong with the bet. The
            # settlement checks both for a bet that nothing is wrong with.
            player = users.get_by_id(user_id)
            access.check_token_number(player, token_number)
            access.check_not_suspended(player)
            raise
        return settled.bet.status, answer

    @abstractmethod
    def read(self, payload: object, *, user_id: int, token_number: int) -> RequestT:
        """Check the types of a payload; the service checks its values. Raises InvalidRequest."""

    def _send(self, sid: str, settled: SettledBet, answer: dict[str, Any]) -> None:
        """Send the events of a settled bet in the promised order, with the acknowledgement in the middle."""
        game = settled.bet.game
        self._realtime.send(sid, [(f"{game}:pf", PF[game].dump(settled.bet)), (self._name, answer)])
        if isinstance(settled, NewBet):
            self._count_coins(settled)
            self._proofs.after_bet(sid, settled)
        after_this_event(partial(self._after_acknowledgement, sid, settled))

    def _after_acknowledgement(self, sid: str, settled: SettledBet) -> None:
        """Send what clients expect behind the acknowledgement: after a retry the receipt alone."""
        if isinstance(settled, NewBet):
            self._state.send(settled.user_id, settled.next_commitment, settled.balances)
        receipt = {"nonce": settled.bet.nonce, "receipt": self._services.bets.receipt(settled)}
        self._realtime.send(sid, [(RECEIPT, RECEIPT_PAYLOAD.dump(receipt))])
        if isinstance(settled, NewBet) and settled.is_slow:
            # If this fails, the seed is shown as early as the settlement wrote.
            self._services.bets.postpone_proof(settled)

    def _log_result(self, result: str, *, seconds: float) -> None:
        """Log how the bet ended: ``won``, ``lost``, ``failed``, or the text of the refusal.

        Clients can cause refusals at will, so these are aggregated.
        """
        extra = {"event": self._name, "outcome": result}
        if result in (WON, LOST):
            events_log.info("event", extra=extra | {"ms": round(seconds * 1000, 1)})
        else:
            clients_log.info("event", extra=extra)

    def _count_result(self, result: str) -> None:
        if self._game.name == UPGRADER:
            self._metrics.spins.labels(result).inc()
        else:
            self._metrics.openings.labels(self._game.name, result).inc()

    def _count_coins(self, settled: NewBet) -> None:
        """Count a bet's wager, its payout, and the mean and variance of its payout, in coins.

        Free openings are not counted, so that coins paid / wagered is the return to player.
        """
        bet, expected, metrics = settled.bet, settled.expectation, self._metrics
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
        case, reward = given.get("case"), given.get("reward")
        if not isinstance(case, str) or not isinstance(reward, str | None):
            raise InvalidRequest
        return OpeningRequest(
            user_id=user_id,
            token_number=token_number,
            case=case,
            snapshot=given.get("snapshot"),
            reward=reward,
            **common,
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


def _answer(settled: SettledBet) -> dict[str, Any]:
    """The answer to a settled bet: the item, what was paid, and the id of a prize that is kept."""
    bet = settled.bet
    result = {
        "success": bet.status == WON,
        "amount": number_from_cents(bet.payout_cents),
        "item": bet.item,
    }
    if settled.prize_id is not None:
        result["prizeId"] = str(settled.prize_id)
    return {"status": True, "result": result}
