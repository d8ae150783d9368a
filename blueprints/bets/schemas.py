"""Schemas of settled bets, of what proves them fair, and of snapshots."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
import orjson

from models.battles import BATTLE, BATTLE_1
from models.bets import Bet
from models.cases import CASE, IRL
from server.current_services import get_services
from server.schemas import (
    Coins,
    Computed,
    Part,
    Percentage,
    Price,
    WireSchema,
    count,
    documented,
    epoch_ms,
    one_of,
    text,
)
from services.bets import rolls
from services.bets.snapshots import Content
from services.bets.terms import UPGRADER
from sockets.schemas import (
    CLIENT_SEED,
    GAME,
    SERVER_SEED,
    SERVER_SEED_COMMITMENT,
    SNAPSHOT,
    TICKET,
    bet_multiplier,
)

CENTS = "in cents, as decimal text"


def house_edge(attribute: str) -> Computed:
    """The house edge in this attribute, which is in millionths."""
    return Computed(
        lambda ppm: ppm / rolls.PPM, "number", "The house edge, as a fraction", 0.05, attribute=attribute
    )


def visible_server_seed(bet: Bet) -> str:
    """The server seed of a bet; empty until its proof is due."""
    services = get_services()
    return services.proofs.visible_server_seed(bet, now=services.clock())


class PublishedFairnessSchema(WireSchema):
    """The inputs of a roll or a ticket."""

    server_seed_commitment = SERVER_SEED_COMMITMENT
    server_seed = Computed(
        visible_server_seed,
        "string",
        "The server seed; empty until the proof is due",
        SERVER_SEED.metadata["examples"][0],
    )
    client_seed = CLIENT_SEED
    nonce = Computed(
        lambda bet: max(bet.nonce, 0), "integer", "Number of the player's bet, from 1; 0 for a battle", 1
    )
    public_seed = Computed(
        lambda bet: bet.battle.randomness if bet.battle else "",
        "string",
        "The randomness of the beacon of a battle; empty for other games",
        "",
    )
    round = Computed(
        lambda bet: bet.battle.round if bet.battle else rolls.ROUND,
        "integer",
        "The round of this beacon; 0 for other games",
        rolls.ROUND,
    )


class FairnessEntrySchema(WireSchema):
    """A settled bet."""

    id = text("The id of the entry", "18")
    game = GAME
    bet_amount = Coins("The wager", 10, attribute="wager_cents")
    payout = Coins("What was won: 0 for a lost spin", attribute="payout_cents")
    status = text(
        "won if an opening or a battle paid more than its wager", "won", validate=one_of("won", "lost")
    )
    completed_at = epoch_ms("When its proof is due", attribute="proof_due_at_ms")
    pf = Part(PublishedFairnessSchema, required=True)


class BetSchema(FairnessEntrySchema):
    """A settled bet with everything that `/verify` needs to recompute it."""

    item = text("The full name of the wanted item", "AK-47 | Copper Tide (Field-Tested)")
    price = Price("The item's price at the time of the bet", attribute="price_cents")
    house_edge = house_edge("house_edge_ppm")
    threshold = count("Rolls below it win", 7_661_290)
    roll = count("The roll", 5_761_652)
    chance = Computed(
        rolls.percent, "number", "The chance to win, in percent", 76.6129, attribute="threshold"
    )


class LogPlaceSchema(WireSchema):
    """The place of a bet in the public log; of a battle, that of its end."""

    origin = text("The URL of the log, without its scheme", "play.example.com/log")
    index = count("The index of its entry", 18)


class PublicBetSchema(WireSchema):
    """What anybody may see of a bet of any game."""

    user = Computed(
        lambda bet: bet.user.shown_name,
        "string",
        "The whole username of the player; `Hidden` for an anonymous one",
        "alice",
    )
    multiplier = bet_multiplier("Payout divided by wager; 0 for a free opening")
    log = ma.fields.Nested(
        LogPlaceSchema,
        required=True,
        metadata=documented("Its place in the public log", {"origin": "play.example.com/log", "index": 18}),
    )


class PublicSpinSchema(PublicBetSchema, BetSchema):
    """A spin of the upgrader, with everything that verifies it."""

    game = text("The game", UPGRADER, validate=one_of(UPGRADER))
    algorithm = text("How the outcome follows from the seeds", "upgrader-1")


class OpeningSchema(PublicBetSchema, FairnessEntrySchema):
    """An opening of a case."""

    game = text("The game", CASE, validate=one_of(CASE, IRL))
    algorithm = text("How the outcome follows from the seeds: case-1 or irl-1", "case-1")
    item = text("The name of the item that was won", "AK-47 | Copper Tide (Field-Tested)")
    ticket = TICKET
    snapshot = Computed(
        lambda bet: bet.snapshot.hash,
        "string",
        SNAPSHOT.metadata["description"],
        SNAPSHOT.metadata["examples"][0],
    )


class BattleBetSchema(PublicBetSchema, FairnessEntrySchema):
    """A player's seat of a settled battle. The battle has everything that verifies it."""

    game = text("The game", BATTLE, validate=one_of(BATTLE))
    algorithm = text("How the outcome follows from the seeds", BATTLE_1)
    item = text("The name of the dearest item that the seat drew", "AK-47 | Copper Tide (Field-Tested)")
    battle = Computed(
        lambda bet: None if bet.battle.is_private else bet.battle.public_id,
        "string",
        "The id of the battle, as `/battles/{id}` has it; null for a private battle",
        "BjzFqGqJRPwLROZoXX1DTA",
        allow_none=True,
    )
    seat = count("The seat in the battle, from 0", 0)


class RevealedSpinSchema(PublicSpinSchema):
    """A spin in a bundle of the log. Without the username, which may change."""

    class Meta:
        exclude = ("user",)


class OpenedItemSchema(WireSchema):
    """An item of a case when it was opened."""

    name = text("The name of the item", "AK-47 | Copper Tide (Field-Tested)")
    price = Price("What the item paid", attribute="price_cents")
    percentage = Percentage("Its chance", attribute="width")
    width = Computed(
        str, "string", "How many of the 10^18 tickets win it", "79920000000000000", attribute="width"
    )


class OpenedCaseSchema(WireSchema):
    """A case when it was opened."""

    case = text("The id of the case", "desert-case", attribute="case_id")
    items = ma.fields.Nested(OpenedItemSchema, many=True, required=True)


class PublicOpeningSchema(OpenedCaseSchema, OpeningSchema):
    """An opening of a case, with everything that verifies it. The items are in the order of their ranges."""


class RevealedOpeningSchema(PublicOpeningSchema):
    """An opening in a bundle of the log. Without the username, which may change."""

    class Meta:
        exclude = ("user",)


class SnapshotItemSchema(WireSchema):
    """An item of a snapshot."""

    name = text("The name", "P90 | Grey Dune (Well-Worn)")
    price = text(f"What it pays, {CENTS}", "12")
    width = text("How many of the 10^18 tickets win it: its percentage times 10^16", "918080000000000000")


class SnapshotSchema(WireSchema):
    """What can be won from a case, rarest item first. UTF-8, keys sorted, no blanks between tokens."""

    id = text("The id of the case", "desert-case")
    items = ma.fields.Nested(SnapshotItemSchema, many=True, required=True)
    price = text(f"What opening it costs, {CENTS}", "211")


SPIN = PublicSpinSchema()
OPENING = OpeningSchema()
BATTLE_BET = BattleBetSchema()
OPENED_CASE = OpenedCaseSchema()


def dump_opened_case(content: Content) -> dict[str, Any]:
    """The case of an opening. Its items are JSON already: dumping 500 of them takes several ms."""
    opened: dict[str, Any] = OPENED_CASE.dump(content)
    return opened | {"items": orjson.Fragment(orjson.dumps(opened["items"]))}


def dump_bet(bet: Any, opened: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """The object of a bet, for orjson. ``opened`` has the dumped cases by the ids of their snapshots."""
    if bet.battle:
        battle: dict[str, Any] = BATTLE_BET.dump(bet)
        return battle
    opening = bet.snapshot_id is not None
    dumped: dict[str, Any] = OPENING.dump(bet) | opened[bet.snapshot_id] if opening else SPIN.dump(bet)
    return dumped


def dump_revealed_bet(bet: Any, opened: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """The same without the user: in a bundle of the log nothing changes any more."""
    return {name: value for name, value in dump_bet(bet, opened).items() if name != "user"}
