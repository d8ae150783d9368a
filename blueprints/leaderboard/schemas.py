"""Schemas of the leaderboard."""

from blueprints.api.parameters import choice
from server.schemas import Avatar, Coins, Computed, QuerySchema, WireSchema
from services.statistics.leaderboard import Period, masked


class LeaderboardQuery(QuerySchema):
    period = choice(Period.WEEKLY, "Since Monday, or since the 1st, 00:00 UTC")


class LeaderSchema(WireSchema):
    """A player of the ranking."""

    username = Computed(masked, "string", "The username, masked", "ali***", attribute="username")
    avatar = Avatar("The player's picture")
    wager = Coins("All wagers of the period", 250)
