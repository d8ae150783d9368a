"""Schemas of public data for verifying bets."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
import orjson

from blueprints.api.fairness_entry import FairnessEntrySchema
from blueprints.upgrader.schemas import BetSchema
from models.cases import CASE, IRL
from server.schemas import Computed, Percentage, Price, WireSchema, count, documented, one_of, text
from services.bets.snapshots import Content
from services.bets.terms import UPGRADER
from sockets.schemas import SNAPSHOT, TICKET, bet_multiplier

CENTS = "in cents, as decimal text"

USER = Computed(lambda bet: bet.user.username, "string", "The whole username of the player", "alice")
MULTIPLIER = bet_multiplier("Payout divided by wager; 0 for the free case")


class LogPlaceSchema(WireSchema):
    """The place of a bet in the public log."""

    origin = text("The URL of the log, without its scheme", "play.example.com/log")
    index = count("The index of its entry", 18)


PLACE = ma.fields.Nested(
    LogPlaceSchema,
    required=True,
    metadata=documented("Its place in the public log", {"origin": "play.example.com/log", "index": 18}),
)


class PublicSpinSchema(BetSchema):
    """A spin of the upgrader, with everything that verifies it."""

    game = text("The game", UPGRADER, validate=one_of(UPGRADER))
    algorithm = text("How the outcome follows from the seeds", "upgrader-1")
    user = USER
    multiplier = MULTIPLIER
    log = PLACE


class OpeningSchema(FairnessEntrySchema):
    """An opening of a case."""

    game = text("The game", CASE, validate=one_of(CASE, IRL))
    algorithm = text("How the outcome follows from the seeds: case-1 or irl-1", "case-1")
    user = USER
    multiplier = MULTIPLIER
    item = text("The name of the item that was won", "AK-47 | Copper Tide (Field-Tested)")
    ticket = TICKET
    snapshot = Computed(
        lambda bet: bet.snapshot.hash,
        "string",
        SNAPSHOT.metadata["description"],
        SNAPSHOT.metadata["examples"][0],
    )
    log = PLACE


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
OPENED_CASE = OpenedCaseSchema()


def dump_opened_case(content: Content) -> dict[str, Any]:
    """The case of an opening. Its items are JSON already: dumping 500 of them takes several ms."""
    opened: dict[str, Any] = OPENED_CASE.dump(content)
    return opened | {"items": orjson.Fragment(orjson.dumps(opened["items"]))}


def dump_bet(bet: Any, opened: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """The object of a bet, for orjson. ``opened`` has the dumped cases by the ids of their snapshots."""
    opening = bet.snapshot_id is not None
    dumped: dict[str, Any] = OPENING.dump(bet) | opened[bet.snapshot_id] if opening else SPIN.dump(bet)
    return dumped


def dump_revealed_bet(bet: Any, opened: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """The same without the user: in a bundle of the log nothing changes any more."""
    return {name: value for name, value in dump_bet(bet, opened).items() if name != "user"}
