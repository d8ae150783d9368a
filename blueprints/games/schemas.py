"""Schemas of the payloads of events."""

import marshmallow as ma

from blueprints.api.media_urls import Avatar
from blueprints.api.schemas import Coins, WireSchema
from services.fairness import rolls


class BalanceSchema(WireSchema):
    """A player's three accounts, in coins."""

    balance = Coins(required=True)
    vault_balance = Coins(required=True, attribute="vault")
    sweepstake_balance = Coins(required=True, attribute="sweepstake")


class CommitmentSchema(WireSchema):
    """The commitment of the player's next spin."""

    server_seed_commitment = ma.fields.String(required=True)
    nonce = ma.fields.Integer(required=True)


class PfSchema(WireSchema):
    """The inputs of a roll, without its server seed, which is still secret. ``percent`` is the roll."""

    server_seed_commitment = ma.fields.String(required=True)
    client_seed = ma.fields.String(required=True)
    nonce = ma.fields.Integer(required=True)
    percent = ma.fields.Function(lambda bet: rolls.percent(bet.roll), metadata={"type": "number"})


class ProofSchema(WireSchema):
    """The revealed server seed of a spin."""

    server_seed = ma.fields.String(required=True)
    server_seed_commitment = ma.fields.String(required=True)
    client_seed = ma.fields.String(required=True)
    nonce = ma.fields.Integer(required=True)


class LiveBetSchema(WireSchema):
    """A bet in the public feed. ``date`` in ms: when it was over."""

    id = ma.fields.String(required=True, attribute="bet_id")
    game = ma.fields.String(required=True)
    pfp = Avatar(required=True, attribute="avatar")
    user = ma.fields.String(required=True, attribute="username")
    wager = Coins(required=True)
    # Hundredths become a number by the same rule as cents.
    multiplier = Coins(required=True, attribute="multiplier_hundredths")
    payout = Coins(required=True)
    date = ma.fields.Integer(required=True)
