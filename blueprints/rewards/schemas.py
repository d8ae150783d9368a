"""Schemas of the answers about rewards."""

from typing import Any

import marshmallow as ma

from server.schemas import Coins, Computed, SuccessSchema, WireSchema, count, documented, text
from services.shared.levels import experience_for
from sockets.reward_schemas import RewardsSchema

PPM = 1_000_000


class RewardsAnswerSchema(SuccessSchema):
    """The caller's rewards."""

    data = ma.fields.Nested(RewardsSchema, required=True)


class ClaimedSchema(SuccessSchema):
    """The reward was claimed."""

    amount = Coins("What was added to the balance", 3.2)


class GiftRuleSchema(WireSchema):
    """What a level gives, once."""

    level = count("The level", 10)
    experience = Computed(
        experience_for, "integer", "The experience at which it begins", 10_000, attribute="level"
    )
    coins = Coins("What it pays, null for a free opening", 5, allow_none=True)
    case = text("The id of the case that is opened free, null for coins", "level-10", allow_none=True)


class BonusRuleSchema(WireSchema):
    """The bonus of a deposit."""

    percent = count("The bonus in percent of what is credited", 50)
    max = Coins("The largest bonus", 100)
    wagering = Computed(
        lambda ppm: ppm / PPM,
        "number",
        "How often the bonus has to be wagered before it is paid, a factor",
        80,
        attribute="wagering_ppm",
    )
    days = count("In how many days", 14)


class RewardRulesSchema(WireSchema):
    """What rewards there are."""

    rakeback_rate = Computed(
        lambda ppm: None if ppm is None else ppm / PPM,
        "number",
        "The share of what the house expects to win with a player's bets, as a fraction; null without",
        0.1,
        attribute="rakeback_rate_ppm",
        allow_none=True,
    )
    levels = ma.fields.Nested(
        GiftRuleSchema, many=True, required=True, metadata={"description": "The lowest level first"}
    )
    daily_share = Computed(
        lambda ppm: None if ppm is None else ppm / PPM,
        "number",
        "The share of seven days' expected win that daily free openings cost, as a fraction; null without",
        0.1,
        attribute="daily_share_ppm",
        allow_none=True,
    )
    bonus: ma.fields.Field[Any] = ma.fields.Nested(
        BonusRuleSchema,
        required=True,
        allow_none=True,
        metadata=documented("Null without", {"percent": 50, "max": 100, "wagering": 80, "days": 14}),
    )
