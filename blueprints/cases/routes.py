"""/api/cases: lists of cases, single cases, and creating a case."""

import json
import logging
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import wraps
from typing import Any

import orjson
from cachetools import LRUCache, cached
from flask import Response

from blueprints.api.auth import current_user, public, require_user_else
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import Representation, cached_response, compressed, conditional
from blueprints.api.pagination import PaginationSchema, pagination
from blueprints.api.parameters import ALL
from blueprints.cases.schemas import (
    KINDS,
    CaseItemSchema,
    CasePageQuery,
    CasePageSchema,
    CaseSchema,
    CasesQuery,
    CreatedCaseSchema,
    FreeCaseSchema,
    ListedCaseSchema,
    NewCaseSchema,
    SingleCaseSchema,
)
from server.current_services import get_services
from services.bets import snapshots
from services.cases import creating, queries, version
from services.cases.contents import percent_from_width
from services.cases.kinds import GameType
from services.cases.queries import ShownCase
from services.shared.background import in_slices
from services.shared.locks import BuildCondition
from services.shared.signals import Tag

log = logging.getLogger("platform.cases")

blueprint = ApiBlueprint("cases", __name__, url_prefix="/api/cases", description="Cases")

LISTED_CASES = ListedCaseSchema(many=True)
LISTED_CASE = ListedCaseSchema(exclude=("items",))
LISTED_ITEM = CaseItemSchema(exclude=("percentage",))
CASE = CaseSchema()
PAGINATION = PaginationSchema()

ITEMS_A_SLICE = 100


@cached(LRUCache(maxsize=len(KINDS)), condition=BuildCondition())
def _representation(which: str, _version: Hashable) -> Representation:
    """A whole list as bytes, built once for each version. The version is read before the cases are.

    Each item and each chance is dumped once: 440 real cases hold 8,000 items 32,000 times.
    """
    cases, contents, items = queries.listed(kinds=KINDS[which])
    head = {
        row: orjson.dumps(LISTED_ITEM.dump(item))[:-1]
        for row, item in in_slices(items.items(), ITEMS_A_SLICE)
    }
    chances = {chance for content in contents.values() for _, chance in content}
    tail = {chance: b',"percentage":%b}' % orjson.dumps(percent_from_width(chance)) for chance in chances}
    parts = []
    for case in in_slices(cases, 1):
        held = b",".join([head[row] + tail[chance] for row, chance in contents[case.row_id]])
        parts.append(b'%b,"items":[%b]}' % (orjson.dumps(LISTED_CASE.dump(case))[:-1], held))
    return compressed(b"[%b]" % b",".join(parts))


@blueprint.get("")
@public
@blueprint.arguments(CasesQuery, location="query")
@blueprint.response(200, LISTED_CASES)
@blueprint.alt_response(304, description="The client has this list already")
def list_cases(query: dict[str, Any]) -> Response:
    """Every case with its items, the newest case first."""
    return _representation(query["type"], version.current()).response()


@blueprint.get("/pagination")
@public
@conditional
@blueprint.arguments(CasePageQuery, location="query")
@blueprint.response(200, CasePageSchema)
@blueprint.alt_response(304, description="The client has this page already")
def search_cases(query: dict[str, Any]) -> Response:
    """One page of the cases, searched, filtered and sorted."""
    found = queries.page(
        kinds=KINDS[query["case_type"]],
        place=query["place"],
        game=None if query["type"] == ALL else GameType(query["type"]),
        search=query["search"],
        sort=query["sort"],
        least=query["min_price_cents"],
        most=query["max_price_cents"],
    )
    # Case by case, because a page may have 12 MB.
    dumped = b",".join(orjson.dumps(CASE.dump(case)) for case in in_slices(found.rows, 1))
    # A client may ask for a page whose number has more than the 64 bits that orjson takes.
    page = json.dumps(PAGINATION.dump(pagination(query["place"], found.total))).encode()
    return Response(b'{"cases":[%b],"pagination":%b}' % (dumped, page), mimetype="application/json")


@blueprint.get("/free")
@public
@conditional
@blueprint.response(200, FreeCaseSchema)
@blueprint.alt_response(304, description="The client has this case already")
@blueprint.alt_response(404)
def get_free_case() -> ShownCase:
    """The free case."""
    return queries.free()


@blueprint.get('/<anything(but="create"):case_id>')
@public
@cached_response(Tag.CASES)
@blueprint.response(200, SingleCaseSchema)
@blueprint.alt_response(304, description="The client has this case already")
@blueprint.alt_response(404)
def get_case(case_id: str) -> ShownCase:
    """One case, its items with their wear. Fetches the prices of items that have none."""
    case = queries.get(case_id=case_id)
    if _refreshed(case):
        case = queries.get(case_id=case_id)
    content = snapshots.content_of_case(case)
    if content is not None:
        case = replace(case, snapshot=content.hash)
    return case


def _refreshed(case: ShownCase) -> bool:
    """Fetch the prices of items that have none. Returns whether there were any. A failure is only logged."""
    without = queries.items_without_price(case)
    if without:
        try:
            get_services().prices.refresh_missing(without)
        except Exception:  # the case is shown anyway
            log.warning("prices not refreshed", exc_info=True)
    return bool(without)


def _of_sufficient_level(view: Callable[..., Any]) -> Callable[..., Any]:
    """Check the caller's level before the body is parsed, as the contract promises."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        creating.check_level(current_user())
        return view(*args, **kwargs)

    return wrapper


@blueprint.post("/create")
@require_user_else("You must be logged in to create a case")
@_of_sufficient_level
@blueprint.arguments(NewCaseSchema)
@blueprint.response(200, CreatedCaseSchema)
@blueprint.alt_response(403)
def create_case(body: dict[str, Any]) -> dict[str, Any]:
    """Create a case, which all players can see. It takes level 25; a player may have 50 cases."""
    case_id = creating.create(
        creator=current_user(), name=body["name"], items=body["items"], now=get_services().clock()
    )
    return {"status": True, "id": case_id}
