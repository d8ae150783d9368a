"""The events that the server sends: names, payloads and receivers. asyncapi.json describes them."""

from collections.abc import Sequence
from typing import Any

from blueprints.games.schemas import BalanceSchema, CommitmentSchema, LiveBetSchema, PfSchema, ProofSchema
from models.bets import Bet
from server.realtime.server import Event, realtime
from services.accounts.balances import Balances
from services.fairness.server_seeds import Commitment
from services.games.live_bets import LiveBet
from services.games.proofs import Proof
from services.shared.money import number_from_cents
from services.upgrader.spin import WON

SPIN = "upgrader:spin"
PF = "upgrader:pf"
PROOF = "upgrader:proof"
COMMITMENT = "upgrader:commitment"
BALANCE = "balance"
LIVE_BETS = "live-bets"
NEW_LIVE_BET = "live-bets:new"

# Building a schema takes longer than dumping with it.
_pf = PfSchema()
_proof = ProofSchema()
_commitment = CommitmentSchema()
_balance = BalanceSchema()
_live_bet = LiveBetSchema()


def spin_answer(bet: Bet) -> dict[str, Any]:
    """The answer to a settled spin: the item with its value if it was won, or with 0."""
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


def answer_event(answer: dict[str, Any]) -> Event:
    return SPIN, answer


def pf_event(bet: Bet) -> Event:
    return PF, _pf.dump(bet)


def commitment_event(commitment: Commitment) -> Event:
    return COMMITMENT, _commitment.dump(commitment)


def balance_event(balances: Balances) -> Event:
    return BALANCE, _balance.dump(balances)


def live_bets_event(bets: list[LiveBet]) -> Event:
    return LIVE_BETS, _live_bet.dump(bets, many=True)


def new_live_bet_events(bets: Sequence[LiveBet]) -> list[Event]:
    """One event for each bet."""
    return [(NEW_LIVE_BET, payload) for payload in _live_bet.dump(bets, many=True)]


def send_proof(sid: str, proof: Proof) -> None:
    """Send a proof to one socket of the player, which may acknowledge it. The id is the nonce."""
    realtime().send([sid], [(PROOF, _proof.dump(proof))], ack_id=proof.nonce)
