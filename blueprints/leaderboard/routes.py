"""/leaderboard: the players who wagered most."""

from typing import Any

from blueprints.api.auth import current_user, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import cache_until, cached_response
from blueprints.leaderboard.schemas import LeaderboardQuery, LeaderSchema, StandingSchema
from server.current_services import get_services
from services.shared.signals import Tag
from services.statistics import leaderboard
from services.statistics.leaderboard import Standing

blueprint = ApiBlueprint(
    "leaderboard", __name__, url_prefix="/leaderboard", description="Weekly and monthly ranking by wager"
)


@blueprint.get("")
@public
@cached_response(Tag.BETS, Tag.PLAYERS)
@blueprint.arguments(LeaderboardQuery, location="query")
@blueprint.response(200, LeaderSchema(many=True))
@blueprint.alt_response(304, description="The client has this list already")
def list_leaders(query: dict[str, Any]) -> list[Any]:
    """The top 100 of the current week or month. With equal wagers the older account comes first."""
    period, now = query["period"], get_services().clock()
    cache_until(period.calendar.end(now))
    return leaderboard.top(period=period, now=now)


@blueprint.get("/me")
@require_user
@blueprint.arguments(LeaderboardQuery, location="query")
@blueprint.response(200, StandingSchema)
def get_own_standing(query: dict[str, Any]) -> Standing:
    """The caller's own rank and wager, and what it takes to pass the player one rank above."""
    return leaderboard.standing(user=current_user(), period=query["period"], now=get_services().clock())
