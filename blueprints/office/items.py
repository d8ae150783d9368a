"""Items and their prices: the list, an item with the cases that contain it, and the sources of prices."""

from typing import Any

from flask import render_template, request

from blueprints.office.access import require_permission
from blueprints.office.addresses import chosen, listed, order, place, typed_search, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.forms import form_of, submit, typed, typed_cents, typed_reason
from server.current_services import get_services
from services.cases.kinds import GAMES
from services.items import selling
from services.staff import case_lists, item_lists, proposals
from services.staff.case_lists import Sale
from services.staff.content_actions import FollowPriceSources, RetireItem, SetItemPrice
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult

ITEMS: Columns = {
    "item": "market_hash_name",
    "game": lambda item: str(GAMES[item.app_id]),
    "price": "price_cents",
    "price from": item_lists.source_of,
    "retired": "retired_at_ms",
}


@office.get("/items")
@require_permission(Permission.CONTENT_SEE)
def items() -> Any:
    sorted_by, is_descending = order(item_lists.COLUMNS, default="name")
    found = item_lists.items(
        search=typed_search(),
        source=request.args.get("source"),
        game=request.args.get("game") or None,
        sale=chosen("sale", Sale),
        order=sorted_by,
        is_descending=is_descending,
        place=place(),
    )
    if wants_csv():
        return list_file("items", ITEMS, found.rows)
    return render_template(
        "office/items.html",
        listed=listed(found),
        total=found.total,
        sources=item_lists.SOURCES,
        source_of=item_lists.source_of,
        games=list(GAMES.values()),
        game_of=GAMES,
        sales=list(Sale),
        sorted_by=sorted_by,
        descending=is_descending,
        ages=_ages(),
    )


def _ages() -> dict[str, int]:
    """How old the prices of each source that is set are; a source that never answered has no age."""
    services = get_services()
    return {
        state.name: services.clock() - state.succeeded_at_ms
        for state in services.prices.states()
        if state.succeeded_at_ms is not None
    }


@office.post("/items/publish")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(items)
def publish_items() -> str:
    number = selling.publish(reason=typed_reason(), now=get_services().clock())
    return f"All servers show the {number} current items soon"


@office.get("/items/<row_id:item_id>")
@require_permission(Permission.CONTENT_SEE)
def item(item_id: int) -> str:
    found = item_lists.item(item_id)
    return render_template(
        "office/item.html",
        item=found,
        source=item_lists.source_of(found),
        game=GAMES[found.app_id],
        ages=_ages(),
        cases=case_lists.cases_with(item_id),
        events=item_lists.history_of(found),
        waiting=[
            each
            for each in proposals.open_of(action=SetItemPrice.name, now=get_services().clock())
            if proposals.arguments_of(each)["item"] == found.market_hash_name
        ],
    )


@office.post("/items/<row_id:item_id>/price")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(item)
def set_item_price(item_id: int) -> ActionResult:
    """Set a price that the sources leave as it is."""
    name = item_lists.item(item_id).market_hash_name
    return submit(SetItemPrice.name, {"item": name, "priceCents": typed_cents("price")})


@office.post("/items/<row_id:item_id>/follow-sources")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(item)
def follow_price_sources(item_id: int) -> ActionResult:
    return submit(FollowPriceSources.name, {"item": item_lists.item(item_id).market_hash_name})


@office.post("/items/<row_id:item_id>/retire")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(item)
def retire_item(item_id: int) -> ActionResult:
    return submit(RetireItem.name, {"item": item_lists.item(item_id).market_hash_name})


@office.get("/prices")
@require_permission(Permission.CONTENT_SEE)
def prices() -> str:
    services = get_services()
    states = services.prices.states()
    return render_template(
        "office/prices.html",
        states=states,
        has_feed=any(state.name == "feed" for state in states),
        figures=item_lists.figures(),
        now=services.clock(),
    )


@office.post("/prices/refresh")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(prices)
def refresh_prices() -> str:
    services, accept_jumps = get_services(), typed("accept_jumps") == "yes"
    services.prices.refresh_soon(accept_jumps=accept_jumps, reason=typed_reason(), now=services.clock())
    return "The feed is asked for new prices within a few seconds. Load this page again to see the result"
