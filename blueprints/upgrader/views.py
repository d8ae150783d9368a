"""Items, bets and rules as plain values."""

from collections.abc import Sequence
from typing import Any

from blueprints.common.media import item_image_urls
from blueprints.fairness.views import fairness_entry
from models.bets import Bet
from services import fairness
from services.catalogue import CatalogueItem
from services.money import price_text
from services.upgrader.rules import UpgraderRules


def listed_items(items: Sequence[CatalogueItem]) -> list[dict[str, Any]]:
    """As InventoryItemSchema dumps them, in a tenth of the time: there are 34,500."""
    image_url = item_image_urls()
    return [
        {
            "appid": item.app_id,
            "marketHashName": item.market_hash_name,
            "gunName": item.gun_name,
            "skinName": item.skin_name,
            "image": image_url(item.image),
            "price": price_text(item.price_cents),
            "nextPriceFetch": item.next_price_fetch_ms,
        }
        for item in items
    ]


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
