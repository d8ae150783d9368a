"""Schemas of the upgrader's items, rules and bets."""

import marshmallow as ma

from blueprints.api.media_urls import ItemImage
from blueprints.api.pagination import PaginationSchema, page_query
from blueprints.api.schemas import Coins, Price, Text, WireSchema, choice
from blueprints.games.fairness_entry import FairnessEntrySchema
from models.bets import Bet
from services.fairness import rolls
from services.upgrader.catalogue import Sort
from services.upgrader.rules import UpgraderRules

DEFAULT_LIMIT = 18

NUMBER = {"type": "number"}


def house_edge(source: UpgraderRules | Bet) -> float:
    """The house edge as a fraction."""
    return source.house_edge_ppm / rolls.PPM


class InventoryItemSchema(WireSchema):
    """An item of the catalogue. ``price`` such as $12.34, ``nextPriceFetch`` in ms."""

    app_id = ma.fields.Integer(required=True, data_key="appid")
    market_hash_name = ma.fields.String(required=True)
    gun_name = ma.fields.String(required=True)
    skin_name = ma.fields.String(required=True)
    image = ItemImage(required=True)
    price = Price(required=True, attribute="price_cents")
    next_price_fetch = ma.fields.Integer(required=True, attribute="next_price_fetch_ms")


class ItemsQuery(page_query(DEFAULT_LIMIT)):  # type: ignore[misc]
    sort = choice(Sort.DESCENDING, "By price")
    search = Text(
        load_default="", metadata={"description": "Part of the gun's or the skin's name, in any case"}
    )


class ItemPageSchema(WireSchema):
    items = ma.fields.Nested(InventoryItemSchema, many=True, required=True)
    pagination = ma.fields.Nested(PaginationSchema, required=True)


class RulesSchema(WireSchema):
    """The rules of every spin. Wagers in coins, ``proofDelay`` in seconds."""

    house_edge = ma.fields.Function(house_edge, required=True, metadata=NUMBER)
    min_wager = Coins(required=True)
    max_wager = Coins(required=True)
    proof_delay = ma.fields.Function(lambda rules: rules.proof_delay / 1000, required=True, metadata=NUMBER)
    roll_range = ma.fields.Constant(rolls.ROLL_RANGE, required=True, metadata={"type": "integer"})


class BetSchema(FairnessEntrySchema):
    """A settled bet with everything that ``/verify`` needs to recompute it. ``chance`` in percent."""

    item = ma.fields.String(required=True)
    price = Price(required=True, attribute="price_cents")
    house_edge = ma.fields.Function(house_edge, required=True, metadata=NUMBER)
    threshold = ma.fields.Integer(required=True)
    roll = ma.fields.Integer(required=True)
    chance = ma.fields.Function(lambda bet: rolls.percent(bet.threshold), required=True, metadata=NUMBER)
