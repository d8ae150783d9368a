"""/leaderboard: who wagers most."""

from typing import Any

from blueprints.common.auth import public
from blueprints.common.blueprint import Area
from blueprints.common.errors import ErrorSchema
from blueprints.common.kept import keep_until, kept
from blueprints.common.platform import platform
from blueprints.leaderboard.schemas import LeaderboardQuery, LeaderSchema
from services import leaderboard
from services.changes import Topic
from services.leaderboard import Leader
from services.periods import Period

blueprint = Area(
    "leaderboard", __name__, url_prefix="/leaderboard", description="Weekly and monthly ranking by wager"
)


@blueprint.get("")
@public
@kept(Topic.BETS, Topic.PLAYERS, tagged=True)
@blueprint.arguments(LeaderboardQuery, location="query")
@blueprint.response(200, LeaderSchema(many=True))
@blueprint.alt_response(304, description="The client has this list already")
@blueprint.alt_response(400, schema=ErrorSchema)
def list_leaders(query: dict[str, Any]) -> list[Leader]:
    """The top 100 of the current week or month; of equal wagers the older account comes first."""
    period, now = Period(query["period"]), platform().clock()
    keep_until(period.end(now))
    return leaderboard.top(period=period, now=now)
