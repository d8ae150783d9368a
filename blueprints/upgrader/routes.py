"""/upgrader: the items, the rules, the levels, and the caller's commitment and bets."""

from collections.abc import Sequence
from typing import Any

from cachetools import LRUCache, cached
from flask import Response

from blueprints.api.auth import current_user, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import Representation, cached_response, conditional, list_representation
from blueprints.api.pagination import pagination
from blueprints.api.parameters import ALL
from blueprints.bets.schemas import BetSchema
from blueprints.upgrader.schemas import (
    APP_IDS,
    InventoryItemSchema,
    ItemPageSchema,
    ItemsQuery,
    RulesSchema,
    UnlocksSchema,
)
from models.bets import Bet
from server.current_services import get_services
from services.bets import lookups
from services.bets.seeds import Commitment
from services.bets.terms import UPGRADER
from services.cases import queries
from services.cases.queries import Unlocks
from services.items.catalogue import Catalogue
from services.shared.locks import BuildCondition
from services.shared.signals import Tag
from settings import Settings
from sockets.schemas import CommitmentSchema

blueprint = ApiBlueprint("upgrader", __name__, url_prefix="/upgrader", description="The upgrader game")

ITEMS = InventoryItemSchema(many=True)


@cached(LRUCache(maxsize=1), condition=BuildCondition())
def _representation(catalogue: Catalogue) -> Representation:
    """The whole catalogue as bytes, built once for each version of it."""
    return list_representation(ITEMS.dump, catalogue.items)


@blueprint.get("/items")
@public
@blueprint.response(200, ITEMS)
@blueprint.alt_response(304, description="The client has this list already")
def list_items() -> Response:
    """Every item that can be won, the most expensive first."""
    return _representation(get_services().catalogue.current()).response()


@blueprint.get("/items/pagination")
@public
@conditional
@blueprint.arguments(ItemsQuery, location="query")
@blueprint.response(200, ItemPageSchema)
@blueprint.alt_response(304, description="The client has this page already")
def search_items(query: dict[str, Any]) -> dict[str, Any]:
    """One page of the items, searched, filtered and sorted."""
    catalogue = get_services().catalogue.current()
    found = catalogue.page(
        query["place"],
        sort=query["sort"],
        search=query["search"],
        name=query["name"] or None,
        app_id=APP_IDS.get(query["type"]),
        wear=None if query["wear"] == ALL else query["wear"],
        least=query["min_price_cents"],
        most=query["max_price_cents"],
    )
    return {"items": found.rows, "pagination": pagination(query["place"], found.total)}


@blueprint.get("/rules")
@public
@conditional
@blueprint.response(200, RulesSchema)
@blueprint.alt_response(304, description="The client has these rules already")
def get_rules() -> Settings:
    """House edges, wager limits, delays, free openings and creating cases, the same for everyone."""
    return get_services().settings


@blueprint.get("/levels")
@public
@cached_response(Tag.CASES)
@blueprint.response(200, UnlocksSchema(many=True))
@blueprint.alt_response(304, description="The client has this list already")
def list_levels() -> Sequence[Unlocks]:
    """What levels unlock, the lowest first; only those that unlock something."""
    return queries.by_level()


@blueprint.get("/commitment")
@require_user
@blueprint.response(200, CommitmentSchema)
def get_commitment() -> Commitment:
    """The commitment of the caller's next bet, as in the event `upgrader:commitment`.

    While bets are paused after a restore, 503 `Bets are paused`.
    """
    return get_services().seeds.announced(user_id=current_user().id)


@blueprint.get("/bets/<int:nonce>")
@require_user
@blueprint.response(200, BetSchema)
@blueprint.alt_response(404)
def get_bet(nonce: int) -> Bet:
    """One of the caller's spins, with everything that is needed to verify it; not a bet of another game."""
    return lookups.get(user_id=current_user().id, nonce=nonce, game=UPGRADER)
