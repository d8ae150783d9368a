"""/battles: lists of battles, single battles, their rules and statistics, and taking seats."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import orjson
from flask import Response

from blueprints.api.auth import current_user, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import cached_response, conditional
from blueprints.api.pagination import pagination
from blueprints.api.parameters import ALL
from blueprints.battles.schemas import (
    BattlePageSchema,
    BattleRulesSchema,
    BattlesQuery,
    BattleStatisticsSchema,
    CallBotSchema,
    NewBattleSchema,
    TakeSeatSchema,
)
from server.current_services import current_claims, get_services
from server.http.rate_limit import BET, LONG_LIST, count_as
from services.battles import queries, receipts
from services.battles.queries import ShownBattle
from services.battles.requests import MAX_CASES, NewBattle, SeatRequest
from services.shared.signals import Tag
from sockets.battle_schemas import BATTLE, BattleReceiptSchema, dump_battle

blueprint = ApiBlueprint("battles", __name__, url_prefix="/battles", description="Battles")


def _if_offered(view: Callable[..., Any]) -> Callable[..., Any]:
    """Answer 501 while BEACON_URLS is empty."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        get_services().battles.check_on()
        return view(*args, **kwargs)

    return wrapper


@blueprint.get("")
@public
@count_as(LONG_LIST)
@_if_offered
@blueprint.arguments(BattlesQuery, location="query")
@cached_response(Tag.BATTLES)
@blueprint.response(200, BattlePageSchema)
@blueprint.alt_response(304, description="The client has this page already")
@blueprint.alt_response(501)
def list_battles(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the public battles, newest first. Private and cancelled ones are in no list.

    The prices are those of a seat.
    """
    place = query["place"]
    found = queries.listed(
        state=query["state"],
        mode=None if query["mode"] == ALL else query["mode"],
        least=query["min_price_cents"],
        most=query["max_price_cents"],
        place=place,
    )
    return {"battles": found.rows, "pagination": pagination(place, found.total)}


@blueprint.get("/rules")
@public
@conditional
@_if_offered
@blueprint.response(200, BattleRulesSchema)
@blueprint.alt_response(304, description="The client has these rules already")
@blueprint.alt_response(501)
def get_battle_rules() -> dict[str, Any]:
    """What battles there are, their limits, and the beacon that decides them."""
    services = get_services()
    settings, beacons = services.settings, services.beacons
    return {
        "max_cases": MAX_CASES,
        "max_cost_cents": settings.battle_max_cost_cents,
        "max_pot_cents": settings.battle_max_pot_cents,
        "beacon": beacons.info(),
        "demo": beacons.is_demo,
    }


@blueprint.get("/stats")
@public
@count_as("costly read")
@_if_offered
@cached_response(Tag.BATTLES)
@blueprint.response(200, BattleStatisticsSchema)
@blueprint.alt_response(304, description="The client has these statistics already")
@blueprint.alt_response(501)
def get_battle_statistics() -> dict[str, Any]:
    """How often bots have won, and how often chance predicts it."""
    return {"bots": queries.bot_statistics()}


@blueprint.get("/<battle_id>")
@public
@cached_response(Tag.BATTLES, Tag.PLAYERS)
@blueprint.alt_response(200, schema=BATTLE, success=True, description="The battle")
@blueprint.alt_response(304, description="The client has this battle already")
@blueprint.alt_response(404)
def get_battle(battle_id: str) -> Response:
    """One battle, private ones too. It has the fields of its state."""
    return _answer(queries.get(battle_id))


@blueprint.get("/<battle_id>/receipt")
@require_user
@blueprint.response(200, BattleReceiptSchema)
@blueprint.alt_response(404)
def get_battle_receipt(battle_id: str) -> dict[str, Any]:
    """The proof that the log had the lock of the caller's battle before anybody could know its outcome.

    Not found before that, and for a battle that was locked too late.
    """
    battle = queries.get(battle_id)
    proof = receipts.receipt(battle, user_id=current_user().id, bet_log=get_services().log)
    return {"battle": battle.public_id, "proof": proof}


@blueprint.post("")
@count_as(BET)
@require_user
@blueprint.arguments(NewBattleSchema)
@blueprint.alt_response(200, schema=BATTLE, success=True, description="The battle")
@blueprint.alt_response(404)
@blueprint.alt_response(501)
def create_battle(body: dict[str, Any]) -> Response:
    """Create a battle, and take its seat 0. The event `balance` follows."""
    request = NewBattle(
        cases=body["cases"],
        mode=body["mode"],
        teams=body["teams"],
        crazy=_flag(body["crazy"]),
        terminal=_flag(body["terminal"]),
        players_only=_flag(body["players_only"]),
        private=_flag(body["private"]),
        **_bet(body),
    )
    return _answer(get_services().battles.create(request))


@blueprint.post("/<battle_id>/join")
@count_as(BET)
@require_user
@blueprint.arguments(TakeSeatSchema)
@blueprint.alt_response(200, schema=BATTLE, success=True, description="The battle")
@blueprint.alt_response(404)
@blueprint.alt_response(501)
def join_battle(body: dict[str, Any], battle_id: str) -> Response:
    """Take a seat of an open battle. The last one locks the battle. The event `balance` follows."""
    request = SeatRequest(battle=battle_id, seat=body["seat"], **_bet(body))
    return _answer(get_services().battles.join(request))


@blueprint.post("/<battle_id>/leave")
@count_as(BET)
@require_user
@blueprint.alt_response(200, schema=BATTLE, success=True, description="The battle")
@blueprint.alt_response(404)
def leave_battle(battle_id: str) -> Response:
    """Give back the caller's seat of an open battle. If the caller has created it, this cancels it.

    The event `balance` follows.
    """
    battles = get_services().battles
    return _answer(battles.leave(public_id=battle_id, user_id=current_user().id))


@blueprint.post("/<battle_id>/bots")
@count_as(BET)
@require_user
@blueprint.arguments(CallBotSchema)
@blueprint.alt_response(200, schema=BATTLE, success=True, description="The battle")
@blueprint.alt_response(404)
@blueprint.alt_response(501)
def call_bot(body: dict[str, Any], battle_id: str) -> Response:
    """Give a free seat of the caller's own battle to a bot, whose cost the house pays."""
    battles = get_services().battles
    return _answer(battles.call_bot(public_id=battle_id, user_id=current_user().id, seat=body["seat"]))


def _flag(value: object) -> object:
    # A null is a key left out.
    return False if value is None else value


def _bet(body: dict[str, Any]) -> dict[str, Any]:
    """The fields of ``BetRequest``, unchecked."""
    return {
        "user_id": current_user().id,
        "token_number": current_claims().token_number,
        "client_seed": body["client_seed"],
        "price": body["price"],
        "request_id": body["request_id"],
    }


def _answer(battle: ShownBattle) -> Response:
    return Response(orjson.dumps(dump_battle(battle)), mimetype="application/json")
