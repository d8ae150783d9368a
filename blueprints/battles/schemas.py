"""Schemas of what clients ask about battles, and of their rules."""

from typing import Any

import marshmallow as ma

from blueprints.api.pagination import PaginationSchema, page_query
from blueprints.api.parameters import ALL, Unvalidated, choice, least_price, most_price, text_choice
from server.schemas import Coins, WireSchema, count, documented, flag
from services.battles.queries import ListedState
from services.battles.requests import MAX_CASES
from services.battles.rules import MODES, TEAMS
from sockets.battle_schemas import ListedBattleSchema


class BattlesQuery(page_query()):  # type: ignore[misc]
    state = choice(ListedState.OPEN, "Running ones are locked, finished ones settled or void")
    mode = text_choice("Who gets what was drawn", ALL, *MODES, default=ALL)
    min_price_cents = least_price()
    max_price_cents = most_price()


class BattlePageSchema(WireSchema):
    """A page of battles."""

    battles = ma.fields.Nested(ListedBattleSchema, many=True, required=True)
    pagination = ma.fields.Nested(PaginationSchema, required=True)


def _names(description: str, values: Any) -> ma.fields.Constant[list[str]]:
    """A list of names that no setting changes."""
    names = list(values)
    metadata = documented(description, names, type="array", items={"type": "string"})
    return ma.fields.Constant(names, required=True, metadata=metadata)


class BattleRulesSchema(WireSchema):
    """What battles there are, and the beacon that decides them."""

    modes = _names("Who gets what was drawn", MODES)
    teams = _names("The teams, each with its number of seats", TEAMS)
    max_cases = count("How many cases a seat may open", MAX_CASES)
    max_cost = Coins("The most that a seat may cost", 10_000, attribute="max_cost_cents")
    max_pot = Coins(
        "The most that may be won: the dearest item of each case, times the seats",
        250_000,
        attribute="max_pot_cents",
    )
    beacon = ma.fields.Dict(
        required=True,
        metadata=documented(
            "The network of the beacon, as its relays describe it at `/info`",
            {
                "public_key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c…",
                "period": 3,
                "genesis_time": 1_692_803_367,
                "hash": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
                "groupHash": "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
                "schemeID": "bls-unchained-g1-rfc9380",
                "metadata": {"beaconID": "quicknet"},
            },
            type="object",
        ),
    )
    demo = flag("Whether this server alone is the network, so that the house holds its key", example=False)


class BotStatisticsSchema(WireSchema):
    """How bots did in settled battles, by their seats. Without shared battles, which everybody wins."""

    seats = count("Seats of bots", 1000)
    wins = count("How many of them were in the team that won", 251)
    expected = ma.fields.Float(
        required=True,
        metadata=documented(
            "How many that is on average if all teams win equally often; in seats", 249.5, type="number"
        ),
    )


class BattleStatisticsSchema(WireSchema):
    """Statistics of battles."""

    bots = ma.fields.Nested(BotStatisticsSchema, required=True)


class _Optional(Unvalidated):
    """A key that may be left out, and is not validated here."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.required = False


PRICE = Unvalidated("number", "What a seat costs, as the player saw it; in coins", 2.49)
CLIENT_SEED = _Optional(
    "string",
    "4 to 64 letters, digits, dashes and underscores; by default that of the profile",
    "my-lucky-seed",
)
REQUEST_ID = _Optional(
    "string",
    "1 to 64 printable characters. A repeated one changes nothing: the answer is the battle as it is now",
    "8f14e45fceea167a5a36dedd4bea2543",
)
SEAT = Unvalidated("integer", "The number of the seat, from 0", 1)


class NewBattleSchema(WireSchema):
    """A battle to create."""

    # The service checks all of it, because the order of the checks is documented.

    cases = Unvalidated(
        "array",
        "The cases in the order in which each seat opens them",
        [{"case": "desert-case", "count": 1}],
        minItems=1,
        maxItems=MAX_CASES,
        items={
            "type": "object",
            "required": ["case"],
            "properties": {
                "case": documented("The id of the case", "desert-case", type="string"),
                "count": documented(
                    "How often each seat opens it in a row", 1, type="integer", minimum=1, maximum=MAX_CASES
                ),
            },
        },
    )
    mode = Unvalidated("string", "Who gets what was drawn", MODES[0], enum=list(MODES))
    crazy = _Optional("boolean", "Whether the lowest value is the best", example=False)
    terminal = _Optional("boolean", "Whether the last case alone counts", example=False)
    teams = Unvalidated("string", "The teams, each with its number of seats", "1v1", enum=list(TEAMS))
    players_only = _Optional("boolean", "Whether bots are excluded", example=False)
    private = _Optional("boolean", "Whether it is in no list", example=False)
    price = PRICE
    client_seed = CLIENT_SEED
    request_id = REQUEST_ID


class TakeSeatSchema(WireSchema):
    """A seat to take."""

    seat = SEAT
    price = PRICE
    client_seed = CLIENT_SEED
    request_id = REQUEST_ID


class CallBotSchema(WireSchema):
    """A seat to give to a bot."""

    seat = SEAT
