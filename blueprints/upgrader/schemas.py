"""Schemas of the upgrader's items, rules and bets."""

import marshmallow as ma

from blueprints.api.pagination import PaginationSchema, page_query
from blueprints.api.parameters import ALL, Text, choice, least_price, most_price, search_text, text_choice
from blueprints.bets.schemas import house_edge
from server.schemas import (
    Coins,
    Computed,
    ItemImage,
    Part,
    Price,
    WireSchema,
    count,
    documented,
    epoch_ms,
    flag,
    text,
)
from services.bets import rolls
from services.cases import creating, pricing
from services.cases.kinds import GAMES
from services.items.catalogue import Sort
from services.items.names import WEARS
from services.shared.levels import experience_for


class InventoryItemSchema(WireSchema):
    """An item of the catalogue."""

    app_id = count("The number of the game that the item is of", 730, data_key="appid")
    market_hash_name = text(
        "The full name, by which a spin names the item", "AK-47 | Copper Tide (Field-Tested)"
    )
    gun_name = text("The part of the name before the bar", "AK-47")
    skin_name = text("The part of the name after the bar, without the wear", "Copper Tide")
    image = ItemImage("The picture")
    price = Price("The current price", attribute="price_cents")
    next_price_fetch = epoch_ms("When the price is fetched again", attribute="next_price_fetch_ms")


APP_IDS = {str(game): app_id for app_id, game in GAMES.items()}


class ItemsQuery(page_query(default_limit=18)):  # type: ignore[misc]
    sort = choice(Sort.DESCENDING, "By price")
    search = search_text(
        "Part of the gun's or the skin's name in any case, or words that are parts of the full name",
        "ak47 tide",
    )
    name = Text(
        load_default="",
        metadata=documented("Only the item with this full name", "AK-47 | Copper Tide (Field-Tested)"),
    )
    type = text_choice("The game of the items", *APP_IDS, ALL, default=ALL)
    wear = text_choice("The wear in their names", *sorted(WEARS), ALL, default=ALL)
    min_price_cents = least_price()
    max_price_cents = most_price()


class ItemPageSchema(WireSchema):
    """A page of items."""

    items = ma.fields.Nested(InventoryItemSchema, many=True, required=True)
    pagination = ma.fields.Nested(PaginationSchema, required=True)


def constant(description: str, value: float) -> ma.fields.Constant[float]:
    """A number that no setting changes."""
    json_type = "integer" if isinstance(value, int) else "number"
    return ma.fields.Constant(value, required=True, metadata=documented(description, value, type=json_type))


class NewCaseRulesSchema(WireSchema):
    """What a player needs to create a case, and how large it may be."""

    min_level = constant("The level that the player needs", creating.MIN_LEVEL)
    min_name = constant("The fewest characters of the name", creating.MIN_NAME)
    max_name = constant("The most characters of the name", creating.MAX_NAME)
    min_items = constant("The fewest items", creating.MIN_ITEMS)
    max_items = constant("The most items", creating.MAX_ITEMS)
    max_cases = constant("How many cases a player may create", creating.MAX_CASES)


class RulesSchema(WireSchema):
    """The rules of every bet, as the settings have them, and of creating a case."""

    house_edge = house_edge("upgrader_house_edge_ppm")
    min_wager = Coins("The lowest wager", 0.01, attribute="upgrader_min_wager_cents")
    max_wager = Coins("The highest wager", 10_000, attribute="upgrader_max_wager_cents")
    proof_delay = Computed(
        lambda ms: ms / 1000,
        "number",
        "How long after its spin a proof is due, in seconds",
        6,
        attribute="upgrader_proof_delay_ms",
    )
    roll_range = constant("Rolls are whole numbers from 0 to one less", rolls.ROLL_RANGE)
    free_case_limit = count("How often a player who uses a promo code may open the free case", 1)
    min_cycle = Computed(
        lambda ms: ms / 1000,
        "number",
        "The least time between two bets of a player, in seconds; 0 for none",
        0,
        attribute="game_min_cycle_ms",
    )
    case_house_edge = constant(
        "The house edge in the prices of cases, as a fraction: a case costs the sum of its items' prices"
        " times their chances, divided by one less this, rounded up to the cent",
        pricing.HOUSE_EDGE_PERCENT / 100,
    )
    new_case = Part(NewCaseRulesSchema, required=True)


class UnlockedCaseSchema(WireSchema):
    """A level case."""

    id = text("The id of the case", "level-10", attribute="slug")
    name = text("The name", "Level 10")
    price = Coins("What opening it costs", 2.49, attribute="price_cents")


class UnlocksSchema(WireSchema):
    """What a level unlocks."""

    level = count("The level", 10)
    experience = Computed(
        experience_for, "integer", "The experience at which it begins", 10_000, attribute="level"
    )
    cases = ma.fields.Nested(
        UnlockedCaseSchema,
        many=True,
        required=True,
        metadata={"description": "The cases that players of this level and above may open, cheapest first"},
    )
    creates_cases = flag("Whether a player may create cases from this level on", example=False)
