"""The shape of a bet as its player may verify it."""

import marshmallow as ma

from blueprints.common.schemas import Coins, WireSchema, one_of


class PublishedFairnessSchema(WireSchema):
    """What a roll was made of. ``serverSeed`` is empty until the proof is due."""

    server_seed_commitment = ma.fields.String(required=True)
    server_seed = ma.fields.String(required=True)
    client_seed = ma.fields.String(required=True)
    nonce = ma.fields.Integer(required=True)
    public_seed = ma.fields.String(required=True)
    round = ma.fields.Integer(required=True)


class FairnessEntrySchema(WireSchema):
    """A settled bet. ``completedAt`` in ms: when its proof is due."""

    id = ma.fields.String(required=True)
    game = ma.fields.String(required=True)
    bet_amount = Coins(required=True)
    payout = Coins(required=True)
    status = ma.fields.String(required=True, validate=one_of("won", "lost"))
    completed_at = ma.fields.Integer(required=True)
    pf = ma.fields.Nested(PublishedFairnessSchema, required=True)
