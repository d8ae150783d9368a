"""Schemas of the answers about rewards."""

import marshmallow as ma

from server.schemas import Coins, SuccessSchema
from sockets.reward_schemas import RewardsSchema


class RewardsAnswerSchema(SuccessSchema):
    """The caller's rewards."""

    data = ma.fields.Nested(RewardsSchema, required=True)


class ClaimedSchema(SuccessSchema):
    """The reward was claimed."""

    amount = Coins("What was added to the balance", 3.2)
