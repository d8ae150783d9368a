"""Bets and rules as plain values for the schemas."""

from typing import Any

from blueprints.fairness.views import fairness_entry
from models.bets import Bet
from services import fairness
from services.upgrader.rules import UpgraderRules


def rules_view(rules: UpgraderRules) -> dict[str, Any]:
    return {
        "house_edge": rules.house_edge_ppm / fairness.PPM,
        "min_wager": rules.min_wager,
        "max_wager": rules.max_wager,
        "proof_delay": rules.proof_delay / 1000,
        "roll_range": fairness.ROLL_RANGE,
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
