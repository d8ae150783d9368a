"""Schemas of the public log of bets. Its tiles, checkpoints and proofs are not JSON."""

from typing import Any

import marshmallow as ma

from blueprints.bets.schemas import RevealedOpeningSchema, RevealedSpinSchema
from server.schemas import Coins, Computed, WireSchema, documented, text
from sockets.schemas import TICKET

CHECKPOINT: dict[str, Any] = {
    "type": "string",
    "examples": [
        "play.example.com/log\n4711\nsFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=\n\n— play.example.com/log …"
    ],
}
VERIFIER_KEYS: dict[str, Any] = {
    "type": "string",
    "examples": ["play.example.com/log+530d903a+AekyeRrmx7Y7KSXUIH/vhE2fgyh/gZTVVj/XaSGN8pDn\n"],
}
RECEIPT: dict[str, Any] = {
    "type": "string",
    "examples": ['play.example.com/log/receipt\n{"at":1795336797705,…}\n\n— play.example.com/log hI2DJw…\n'],
}
BYTES: dict[str, Any] = {"type": "string", "format": "binary", "examples": [""]}


class DrawnItemSchema(WireSchema):
    """What a seat drew in a case."""

    item = text("The full name of the item", "AK-47 | Copper Tide (Field-Tested)")
    price = Coins("What it counts", attribute="price_cents")
    ticket = Computed(
        str,
        "string",
        TICKET.metadata["description"],
        TICKET.metadata["examples"][0],
        attribute="ticket",
    )


class RevealedBattleSchema(WireSchema):
    """The outcome of a battle, as at `/battles/:id`."""

    drawn = ma.fields.List(
        ma.fields.List(ma.fields.Nested(DrawnItemSchema)),
        required=True,
        metadata=documented(
            "For each seat, what it drew in each case",
            [
                [{"item": "AK-47 | Copper Tide (Field-Tested)", "price": 12.4, "ticket": "23613997596088"}],
                [{"item": "P90 | Grey Dune (Well-Worn)", "price": 0.12, "ticket": "736139975960886890"}],
            ],
        ),
    )
    payouts = ma.fields.List(
        Coins("The share of a seat"),
        required=True,
        attribute="payouts_cents",
        metadata=documented("For each seat, its share in coins", [12.52, 0]),
    )


REVEALED_BATTLE = RevealedBattleSchema()


def _revealed(name: str, what: Any) -> dict[str, Any]:
    index = {"type": "integer", "description": "The index of the entry", "examples": [18]}
    return {"type": "object", "required": ["index", name], "properties": {"index": index, name: what}}


REVEALED: dict[str, Any] = {
    "type": "array",
    "items": {
        "oneOf": [
            _revealed(
                "bet",
                {
                    "type": "object",
                    "description": "As at `/bets/:id`, without the user",
                    "oneOf": [RevealedSpinSchema, RevealedOpeningSchema],
                },
            ),
            _revealed("battle", RevealedBattleSchema),
        ]
    },
}


class OriginSchema(WireSchema):
    """The present log."""

    origin = text(
        "The URL of the log without its scheme, which all checkpoints begin with", "play.example.com/log"
    )


class PseudonymSchema(WireSchema):
    """The caller's name in the log."""

    player = text("32 hexadecimal digits, the same in all entries", "d8b5d71d24f2e3b2cbb3ea0c1d5a0d6d")
