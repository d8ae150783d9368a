"""Schemas of settled bets and of what proves them fair."""

import marshmallow as ma

from blueprints.api.schemas import Coins, Part, WireSchema, one_of
from models.bets import Bet
from server.current_services import get_services
from services.upgrader.spin import ROUND


def visible_server_seed(bet: Bet) -> str:
    """The server seed of a bet; empty until its proof is due."""
    services = get_services()
    return services.proofs.visible_server_seed(bet, now=services.clock())


class PublishedFairnessSchema(WireSchema):
    """The inputs of a roll. ``serverSeed`` is empty until the proof is due."""

    server_seed_commitment = ma.fields.String(required=True)
    server_seed = ma.fields.Function(visible_server_seed, required=True, metadata={"type": "string"})
    client_seed = ma.fields.String(required=True)
    nonce = ma.fields.Integer(required=True)
    public_seed = ma.fields.Constant("", required=True, metadata={"type": "string"})
    round = ma.fields.Constant(ROUND, required=True, metadata={"type": "integer"})


class FairnessEntrySchema(WireSchema):
    """A settled bet. ``completedAt`` in ms: when its proof is due."""

    id = ma.fields.String(required=True)
    game = ma.fields.String(required=True)
    bet_amount = Coins(required=True, attribute="wager_cents")
    payout = Coins(required=True, attribute="payout_cents")
    status = ma.fields.String(required=True, validate=one_of("won", "lost"))
    completed_at = ma.fields.Integer(required=True, attribute="completed_at_ms")
    pf = Part(PublishedFairnessSchema, required=True)
