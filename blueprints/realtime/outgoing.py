"""Everything that leaves over a socket: the events' names, shapes and receivers. See asyncapi.json."""

from collections.abc import Sequence
from typing import Any

from blueprints.common.platform import platform
from blueprints.realtime.schemas import BalanceSchema, LiveBetSchema, PfSchema, ProofSchema
from blueprints.realtime.server import realtime
from blueprints.upgrader.schemas import CommitmentSchema
from models.bets import Bet
from services.balances import Balances
from services.live_bets import LiveBet
from services.money import number_from_cents
from services.server_seeds import Commitment
from services.upgrader.spin import WON

SPIN = "upgrader:spin"
PF = "upgrader:pf"
PROOF = "upgrader:proof"
COMMITMENT = "upgrader:commitment"
BALANCE = "balance"
LIVE_BETS = "live-bets"
NEW_LIVE_BET = "live-bets:new"

# Made once: making a schema takes longer than dumping with it.
_pf = PfSchema()
_proof = ProofSchema()
_commitment = CommitmentSchema()
_balance = BalanceSchema()
_live_bet = LiveBetSchema()


def spin_answer(bet: Bet) -> dict[str, Any]:
    """The answer to a settled spin: the item won and its value, or the item wanted and 0."""
    return {
        "status": True,
        "result": {
            "success": bet.status == WON,
            "amount": number_from_cents(bet.payout_cents),
            "item": bet.item,
        },
    }


def refusal(text: str) -> dict[str, Any]:
    """The answer to a spin that was refused."""
    return {"status": False, "error": text}


def send_answer(sid: str, answer: dict[str, Any]) -> None:
    """To the socket that asked."""
    _send(SPIN, answer, sid)


def send_pf(sid: str, bet: Bet) -> None:
    """To the socket that asked."""
    _send(PF, _pf.dump(bet), sid)


def send_proof(sid: str, bet: Bet) -> None:
    """To one socket of the player; the bet is revealed."""
    _send(PROOF, _proof.dump(bet), sid)


def send_commitment(user_id: int, commitment: Commitment, *, only_to: str | None = None) -> None:
    """To all sockets of the player, or to the one that has just connected."""
    _send_to_player(COMMITMENT, _commitment.dump(commitment), user_id, only_to)


def send_balance(user_id: int, balances: Balances, *, only_to: str | None = None) -> None:
    """To all sockets of the player, or to the one that has just connected."""
    _send_to_player(BALANCE, _balance.dump(balances), user_id, only_to)


def send_live_bets(sid: str, bets: list[LiveBet]) -> None:
    """To a socket that has just connected."""
    _send(LIVE_BETS, _live_bet.dump(bets, many=True), sid)


def announce_live_bets(bets: Sequence[LiveBet]) -> None:
    """To everybody, spectators included; one event a bet."""
    realtime().broadcast(NEW_LIVE_BET, _live_bet.dump(bets, many=True))


def _send_to_player(event: str, payload: dict[str, Any], user_id: int, only_to: str | None) -> None:
    sids = realtime().connections.sids_of(user_id, now=platform().clock())
    for sid in sids if only_to is None else [only_to]:
        _send(event, payload, sid)


def _send(event: str, payload: Any, sid: str) -> None:
    realtime().socketio.emit(event, payload, to=sid)
