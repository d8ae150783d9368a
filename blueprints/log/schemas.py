"""Schemas of the public log of bets. Its tiles, checkpoints and proofs are not JSON."""

from typing import Any

import marshmallow as ma

from blueprints.bets.schemas import RevealedOpeningSchema, RevealedSpinSchema
from server.schemas import WireSchema, count, documented, epoch_ms, text
from sockets.battle_schemas import SettledBattleSchema

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


class RevealedBattleSchema(SettledBattleSchema):
    """The outcome of a battle, as at `/battles/:id`."""

    class Meta(WireSchema.Meta):
        fields = ("drawn", "payouts")


REVEALED_BATTLE = RevealedBattleSchema()


def _revealed(name: str, what: Any) -> dict[str, Any]:
    index = {"type": "integer", "description": "The index of the entry", "examples": [18]}
    properties = {"index": index, name: what}
    return {
        "type": "object",
        "description": f"A {name}",
        "required": [*properties],
        "properties": properties,
    }


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


class WitnessSchema(WireSchema):
    """A witness of the log."""

    key = text("Its verifier key", "witness.example/w1+c1ab26d9+BCTmXYsxOlBLz5rtlh0QtDSRkCMGO3dcDMwL8a4e1d0T")
    size = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata=documented("The entries that it has cosigned, null before the first time", 4711),
    )
    at = epoch_ms("When it cosigned them, by its own clock; null before the first time", allow_none=True)


class WitnessesSchema(WireSchema):
    """The witnesses of the log."""

    quorum = count("How many of them make a checkpoint witnessed", 2)
    witnesses = ma.fields.Nested(WitnessSchema, many=True, required=True)


class PseudonymSchema(WireSchema):
    """The caller's name in the log."""

    player = text("32 hexadecimal digits, the same in all entries", "d8b5d71d24f2e3b2cbb3ea0c1d5a0d6d")
