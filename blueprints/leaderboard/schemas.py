"""The shapes of the leaderboard."""

import marshmallow as ma

from blueprints.common.media import Avatar
from blueprints.common.schemas import Coins, QuerySchema, WireSchema, one_of
from services.periods import Period


class LeaderboardQuery(QuerySchema):
    period = ma.fields.String(
        load_default=Period.WEEKLY,
        validate=one_of(*Period),
        metadata={"description": "Since Monday, or since the 1st, 00:00 UTC"},
    )


class LeaderSchema(WireSchema):
    """One place. ``username`` is masked, ``wager`` in coins."""

    username = ma.fields.String(required=True)
    avatar = Avatar(required=True)
    wager = Coins(required=True)
