"""/stats: the caller's totals, games, payments and proofs, and the finished bets of all players."""

from typing import Any

from blueprints.api.auth import current_user, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import cache_until, cached_response
from blueprints.api.pagination import list_answer
from blueprints.stats.schemas import (
    CaseActivityQuery,
    CaseActivitySchema,
    FairnessQuery,
    FairnessSchema,
    GamesQuery,
    GamesSchema,
    LiveBetsQuery,
    LiveBetsSchema,
    OnlineSchema,
    PaymentsQuery,
    PaymentsSchema,
    TotalsSchema,
)
from models.processes import live_sockets
from server.current_services import get_services
from server.http.rate_limit import LONG_LIST, SEARCHED_LIST, count_as
from services.bets import live_bets as live
from services.shared.signals import Tag
from services.statistics import player_lists

blueprint = ApiBlueprint("stats", __name__, url_prefix="/stats", description="Statistics and live bets")


@blueprint.get("/profile")
@require_user
@blueprint.response(200, TotalsSchema)
def get_totals() -> dict[str, int]:
    """The caller's lifetime totals."""
    return player_lists.totals(user_id=current_user().id)


@blueprint.get("/games")
@count_as(LONG_LIST)
@require_user
@blueprint.arguments(GamesQuery, location="query")
@blueprint.response(200, GamesSchema)
def list_games(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the caller's bets."""
    return list_answer(query["place"], player_lists.page_of_games(user_id=current_user().id, **query))


@blueprint.get("/payments")
@count_as(SEARCHED_LIST)
@require_user
@blueprint.arguments(PaymentsQuery, location="query")
@blueprint.response(200, PaymentsSchema)
def list_payments(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the caller's deposits and withdrawals."""
    return list_answer(query["place"], player_lists.page_of_payments(user_id=current_user().id, **query))


@blueprint.get("/fairness")
@count_as(SEARCHED_LIST)
@require_user
@blueprint.arguments(FairnessQuery, location="query")
@blueprint.response(200, FairnessSchema)
def list_fairness(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the caller's bets with their seeds, as far as these are revealed.

    A search reads all of them, which takes about two seconds for a million.
    """
    services = get_services()
    found = player_lists.page_of_fairness(
        user_id=current_user().id, proofs=services.proofs, now=services.clock(), **query
    )
    return list_answer(query["place"], found)


@blueprint.get("/live-bets")
@count_as(LONG_LIST)
@public
@cached_response(Tag.BETS, Tag.PLAYERS)
@blueprint.arguments(LiveBetsQuery, location="query")
@blueprint.response(200, LiveBetsSchema)
@blueprint.alt_response(304, description="The client has this page already")
def list_live_bets(query: dict[str, Any]) -> dict[str, Any]:
    """One page of all players' finished bets, newest first."""
    services = get_services()
    now = services.clock()
    cache_until(live.next_due(now=now))
    return list_answer(query["place"], services.live_pages.page(now=now, **query))


@blueprint.get("/case-activity")
@public
@cached_response(Tag.BETS, Tag.PLAYERS, Tag.CASES)
@blueprint.arguments(CaseActivityQuery, location="query")
@blueprint.response(200, CaseActivitySchema)
@blueprint.alt_response(304, description="The client has these openings already")
@blueprint.alt_response(404)
def get_case_activity(query: dict[str, Any]) -> dict[str, Any]:
    """What players have won from a case lately, and the best of all time. Finished openings only."""
    now = get_services().clock()
    cache_until(live.next_due(now=now))
    found = live.of_case(game=query["game"], case_id=query["case"], now=now)
    return {"success": True, "data": found}


@blueprint.get("/online")
@public
@cached_response()
@blueprint.response(200, OnlineSchema)
@blueprint.alt_response(304, description="The number is the same")
def get_online() -> dict[str, int]:
    """How many are online."""
    return {"online": live_sockets()}
