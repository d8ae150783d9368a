"""Schemas of the leaderboard."""

import marshmallow as ma

from blueprints.api.parameters import choice
from server.schemas import Avatar, Coins, Computed, QuerySchema, WireSchema, count, documented
from services.statistics.leaderboard import Period, masked


class LeaderboardQuery(QuerySchema):
    period = choice(Period.WEEKLY, "Since Monday, or since the 1st, 00:00 UTC")


class LeaderSchema(WireSchema):
    """A player of the ranking."""

    username = Computed(masked, "string", "The username, masked", "ali***", attribute="username")
    avatar = Avatar("The player's picture")
    wager = Coins("All wagers of the period", 250)


class NextLeaderSchema(LeaderSchema):
    """The player one rank above."""

    distance = Coins("What the caller must wager to pass this player", 50.01)


class StandingSchema(LeaderSchema):
    """The caller's own row."""

    rank = count(
        "The rank, from 1; null without a wager in the period, and below the first 10,000",
        143,
        allow_none=True,
    )
    next = ma.fields.Nested(
        NextLeaderSchema,
        required=True,
        allow_none=True,
        metadata=documented(
            "The player one rank above; without a wager of one's own, the last one. Null for the first, and"
            " when nobody has wagered",
            {
                "username": "bob***",
                "avatar": "https://play.example.com/media/neutral/avatar.webp",
                "wager": 300,
                "distance": 50.01,
            },
        ),
    )
