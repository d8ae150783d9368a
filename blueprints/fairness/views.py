"""Bets as plain values for the schema."""

from typing import Any

from models.bets import Bet
from services.upgrader.spin import ROUND

NO_PUBLIC_SEED = ""


def fairness_entry(bet: Bet, *, server_seed: str) -> dict[str, Any]:
    """A bet as its player sees it; the seed is empty until its proof is due."""
    return {
        "id": bet.id,
        "game": bet.game,
        "bet_amount": bet.wager_cents,
        "payout": bet.payout_cents,
        "status": bet.status,
        "completed_at": bet.completed_at_ms,
        "pf": {
            "server_seed_commitment": bet.server_seed_commitment,
            "server_seed": server_seed,
            "client_seed": bet.client_seed,
            "nonce": bet.nonce,
            "public_seed": NO_PUBLIC_SEED,
            "round": ROUND,
        },
    }
