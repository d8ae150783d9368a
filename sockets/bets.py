"""Handles the events by which players bet: ``upgrader:spin``, ``case:open`` and ``irl:open``."""

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Generic

from flask import Flask

from models.cases import CASE, IRL
from server.logs import clients_log
from server.metrics import CENTS_PER_COIN, Metrics
from server.realtime.realtime import Event, Realtime, Received
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

Answer = dict[str, Any]

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
        realtime.handlers[name] = self.handle

    def handle(self, event: Received) -> None:
        """Play one bet, and answer it with an event and with the acknowledgement, which is the same."""
        began = time.perf_counter()
        settled = None
        try:
            event.check_rate()
            with self._realtime.connections.event_in_flight(event.sid) as (user_id, token_number):
                settled = self._play(event, user_id, token_number)
                result = settled.bet.status
        except self._refusals as refusal:
            # The text of a break contains its end, that of the class does not: metrics need fixed labels.
            result = type(refusal).text
            self._answer(event, result, {"status": False, "error": refusal.text, **refusal.details})
        except Exception:  # noqa: BLE001  # the player gets an answer in any case
            clients_log.exception("bet failed", extra={"event": self._name})
            result = "failed"
            self._answer(event, result, FAILED)
        self._log_result(result, seconds=time.perf_counter() - began)
        if settled is not None:
            self._follow_up(event.sid, settled)

    def _answer(self, event: Received, result: str, answer: Answer, *, pf: Sequence[Event] = ()) -> None:
        self._count_result(result)
        self._realtime.send(event.sid, [*pf, (self._name, answer), *event.acknowledgement(answer)])

    def _play(self, event: Received, user_id: int, token_number: int) -> SettledBet:
        """Play the bet and send its events."""
        try:
            with self._services.player_locks.hold(user_id):
                request = self.read(event.payload, user_id=user_id, token_number=token_number)
                settled = self._services.bets.settle(self._game, request)
                with self._realtime.one_write(event.sid):
                    self._send(event, settled)
        except Refusal:
            # A player who is logged out or suspended learns that, whatever else is wrong with the bet. The
            # settlement checks both for a bet that nothing is wrong with.
            player = users.get_by_id(user_id)
            access.check_token_number(player, token_number)
            access.check_not_suspended(player)
            raise
        return settled

    @abstractmethod
    def read(self, payload: object, *, user_id: int, token_number: int) -> RequestT:
        """Check the types of a payload; the service checks its values. Raises InvalidRequest."""

    def _send(self, event: Received, settled: SettledBet) -> None:
        """Send the events of a settled bet in the promised order, with the acknowledgement in the middle."""
        pf = [(f"{settled.bet.game}:pf", PF[settled.bet.game].dump(settled.bet))]
        self._answer(event, settled.bet.status, _answer(settled), pf=pf)
        if isinstance(settled, NewBet):
            self._count_coins(settled)
            self._proofs.after_bet(event.sid, settled)
            self._state.send(settled.user_id, settled.next_commitment, settled.balances)
            self._send_receipt(event.sid, settled, self._services.bets.receipt(settled))

    def _send_receipt(self, sid: str, settled: SettledBet, receipt: str) -> None:
        payload = RECEIPT_PAYLOAD.dump({"nonce": settled.bet.nonce, "receipt": receipt})
        self._realtime.send(sid, [(RECEIPT, payload)])

    def _follow_up(self, sid: str, settled: SettledBet) -> None:
        """Do what may wait for the database: after a retry send the receipt, of a slow bet write its time."""
        if not isinstance(settled, NewBet):
            self._send_receipt(sid, settled, self._services.bets.receipt_of_earlier(settled))
        elif settled.is_slow:
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


def _answer(settled: SettledBet) -> Answer:
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
