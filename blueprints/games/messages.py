"""The events that the server sends: names, payloads and receivers. asyncapi.json describes them."""

from collections.abc import Sequence
from typing import Any

from blueprints.api.schemas import WireSchema, computed, epoch_ms, text
from blueprints.games.schemas import (
    CLIENT_SEED,
    NONCE,
    SERVER_SEED,
    SERVER_SEED_COMMITMENT,
    SNAPSHOT,
    TICKET,
    BalanceSchema,
    CommitmentSchema,
    LiveBetSchema,
)
from models.bets import Bet
from server.realtime.server import Event, realtime
from services.accounts.balances import Balances
from services.fairness import rolls, tickets
from services.fairness.server_seeds import Commitment
from services.games.errors import LimitReached
from services.games.live_bets import LiveBet
from services.games.proofs import Proof
from services.shared.errors import PlatformError

COMMITMENT = "upgrader:commitment"
BALANCE = "balance"
LIVE_BETS = "live-bets"
NEW_LIVE_BET = "live-bets:new"


class OpeningPfSchema(WireSchema):
    """The inputs of an opening's ticket, without its server seed, which is still secret."""

    server_seed_commitment = SERVER_SEED_COMMITMENT
    client_seed = CLIENT_SEED
    nonce = NONCE
    percent = computed(
        lambda bet: tickets.percent(bet.ticket),
        "number",
        "The ticket, in percent: 0.00000 to 99.99999",
        23.61399,
    )
    ticket = TICKET


class PfSchema(WireSchema):
    """The inputs of a roll, without its server seed, which is still secret."""

    server_seed_commitment = SERVER_SEED_COMMITMENT
    client_seed = CLIENT_SEED
    nonce = NONCE
    percent = computed(
        lambda bet: rolls.percent(bet.roll), "number", "The roll, in percent: 0.00000 to 99.99999", 57.61652
    )


class ProofSchema(WireSchema):
    """The revealed server seed of a spin."""

    server_seed = SERVER_SEED
    server_seed_commitment = SERVER_SEED_COMMITMENT
    client_seed = CLIENT_SEED
    nonce = NONCE


class OpeningProofSchema(ProofSchema):
    """The revealed server seed of an opening."""

    snapshot = SNAPSHOT


class LimitReachedSchema(WireSchema):
    """Which of the player's own limits refused a bet."""

    limit = text("What the limit is about: `wager` or `loss`", "wager")
    period = text("The period of the limit: `day`, `week` or `month`", "day")
    resets_at = epoch_ms("When the next period begins")


# Building a schema takes longer than dumping with it.
_pf = PfSchema()
_opening_pf = OpeningPfSchema()
_proof = ProofSchema()
_opening_proof = OpeningProofSchema()
_commitment = CommitmentSchema()
_balance = BalanceSchema()
_live_bet = LiveBetSchema()
_limit_reached = LimitReachedSchema()

FAILED = {"status": False, "error": "Something went wrong"}
"""The answer to a bet that failed."""


def refusal(error: PlatformError) -> dict[str, Any]:
    """The answer to a bet that was refused."""
    answer = {"status": False, "error": error.text}
    return answer | _limit_reached.dump(error) if isinstance(error, LimitReached) else answer


def pf_event(bet: Bet) -> Event:
    """The event ``upgrader:pf``, ``case:pf`` or ``irl:pf``."""
    return f"{bet.game}:pf", (_pf if bet.ticket is None else _opening_pf).dump(bet)


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
    """Send ``upgrader:proof``, ``case:proof`` or ``irl:proof`` to one socket of the player.

    The client may acknowledge it. The id is the nonce.
    """
    schema = _proof if proof.snapshot is None else _opening_proof
    realtime().send([sid], [(f"{proof.game}:proof", schema.dump(proof))], ack_id=proof.nonce)
