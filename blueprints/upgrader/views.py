"""Bets and rules as plain values for the schemas."""

from typing import Any

from models.bets import Bet
from services import fairness
from services.upgrader.rules import UpgraderRules
from services.upgrader.spin import ROUND

NO_PUBLIC_SEED = ""


def rules_view(rules: UpgraderRules) -> dict[str, Any]:
    return {
        "house_edge": rules.house_edge_ppm / fairness.PPM,
        "min_wager": rules.min_wager,
        "max_wager": rules.max_wager,
        "proof_delay": rules.proof_delay / 1000,
        "roll_range": fairness.ROLL_RANGE,
    }


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


def whole_bet(bet: Bet, *, server_seed: str) -> dict[str, Any]:
    """A bet with all that verifying it takes."""
    return fairness_entry(bet, server_seed=server_seed) | {
        "item": bet.item,
        "price": bet.price_cents,
        "house_edge": bet.house_edge_ppm / fairness.PPM,
        "threshold": bet.threshold,
        "roll": bet.roll,
        "chance": fairness.percent(bet.threshold),
    }
