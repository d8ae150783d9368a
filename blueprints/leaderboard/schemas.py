"""Schemas of the leaderboard."""

import marshmallow as ma

from blueprints.api.media_urls import Avatar
from blueprints.api.schemas import Coins, QuerySchema, WireSchema, choice
from services.shared.clock import Period


class LeaderboardQuery(QuerySchema):
    period = choice(Period.WEEKLY, "Since Monday, or since the 1st, 00:00 UTC")


class LeaderSchema(WireSchema):
    """An entry. ``username`` is masked, ``wager`` in coins."""

    username = ma.fields.String(required=True)
    avatar = Avatar(required=True)
    wager = Coins(required=True)
