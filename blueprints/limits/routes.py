"""/limits: the limits that the caller has set, and breaks."""

from typing import Any

from flask import Response, jsonify

from blueprints.api.auth import confirm_two_factor, current_user, may_require_two_factor, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.limits.schemas import (
    BreakAnswerSchema,
    BreakSchema,
    LimitChangeSchema,
    LimitRequestSchema,
    LimitsSchema,
    SummarySchema,
)
from server.current_services import get_services
from services.accounts import users
from services.limits import exclusions, limits, play_statistics
from services.limits.limits import Limit, Limits
from services.limits.play_statistics import PlayStatistics
from services.wallet import vault

blueprint = ApiBlueprint("limits", __name__, url_prefix="/limits", description="Limits and breaks")

LIMITS = LimitsSchema()
REQUEST = LimitRequestSchema()


@blueprint.get("")
@require_user
@blueprint.response(200, LimitsSchema)
def get_limits() -> Limits:
    """The caller's limits, the requests to raise them, and the break."""
    return limits.of_player(current_user().id, now=get_services().clock())


@blueprint.put("")
@require_user
@may_require_two_factor
@blueprint.arguments(LimitChangeSchema)
@blueprint.response(200, {"oneOf": [LimitsSchema, LimitRequestSchema]})
def change_limit(body: dict[str, Any]) -> Response:
    """Set, lower, raise or remove one of the caller's limits.

    A first limit, and one that is not above the current one, counts at once, for all sockets; the answer is
    that of GET /limits. A higher one, or none, has to be confirmed after 24 hours; the answer is the request.
    It replaces an earlier request for the same limit, and a lower limit cancels it.
    """
    user_id, now = current_user().id, get_services().clock()
    limit, value = Limit(body["kind"], body["period"]), body["value"]
    if not limits.lower(user_id=user_id, limit=limit, value=value, now=now):
        confirm_two_factor()
        pending = limits.request(user_id=user_id, limit=limit, value=value, now=now)
        if pending is not None:
            return jsonify(REQUEST.dump(pending))
    get_services().battles.take_back(user_id=user_id)
    return jsonify(LIMITS.dump(limits.of_player(user_id, now=now)))


@blueprint.post("/requests/<request_id>/confirm")
@require_user
@blueprint.response(200, LimitsSchema)
@blueprint.alt_response(404)
def confirm_limit_request(request_id: str) -> Limits:
    """Raise or remove a limit, at least 24 hours and less than seven days after it was requested."""
    user_id, now = current_user().id, get_services().clock()
    limits.confirm(user_id=user_id, request_id=request_id, now=now)
    return limits.of_player(user_id, now=now)


@blueprint.post("/exclusion")
@require_user
@blueprint.arguments(BreakSchema)
@blueprint.response(200, BreakAnswerSchema)
def take_break(body: dict[str, Any]) -> dict[str, Any]:
    """Refuse the caller's bets from now on, in all games. A break can be made longer, never shorter.

    Proofs, vault, prizes, claims, withdrawals and history stay usable.
    """
    services, user_id = get_services(), current_user().id
    exclusion = exclusions.exclude(user_id=user_id, duration=body["duration"], now=services.clock())
    services.battles.take_back(user_id=user_id)
    coins = vault.withdrawable(users.get_by_id(user_id), now=services.clock())
    return {"success": True, "withdrawable_cents": coins} | exclusion


@blueprint.get("/summary")
@require_user
@blueprint.response(200, SummarySchema)
def get_summary() -> dict[str, PlayStatistics]:
    """The caller's wagers and payouts in the current day, week and month, and in all.

    The periods are those of the limits. Bets of all games count when they are settled.
    """
    return play_statistics.summary(user_id=current_user().id, now=get_services().clock())
