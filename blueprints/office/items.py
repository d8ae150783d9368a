"""Items: the list, and an item with the cases that contain it."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.addresses import order
from blueprints.office.blueprint import office
from blueprints.office.contents import chosen, typed_search
from blueprints.office.lists import listed, place
from blueprints.office.results import attempt
from server.current_services import get_services
from services.cases.kinds import GAMES
from services.staff import case_lists, item_actions, item_lists
from services.staff.case_lists import Sale
from services.staff.item_lists import ItemOrder
from services.staff.permissions import Permission


@office.get("/items")
@needs(Permission.CONTENT_SEE)
def items() -> str:
    return _items()


def _items(*, refusal: str | None = None) -> str:
    sorted_by, is_descending = order(list(ItemOrder), default="name")
    found = item_lists.items(
        search=typed_search(),
        source=request.args.get("source"),
        game=request.args.get("game") or None,
        sale=chosen("sale", Sale),
        order=ItemOrder(sorted_by),
        is_descending=is_descending,
        place=place(),
    )
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
        refusal=refusal,
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
@needs(Permission.CONTENT_CHANGE)
def publish_items() -> Any:
    def work() -> str:
        reason, now = request.form.get("reason", ""), get_services().clock()
        return f"All servers show the {item_actions.publish(reason=reason, now=now)} current items soon"

    return attempt(work, to=url_for("office.items"), again=lambda refusal: _items(refusal=refusal))


@office.get("/items/<row_id:item_id>")
@needs(Permission.CONTENT_SEE)
def item(item_id: int) -> str:
    return _item(item_id)


def _item(item_id: int, *, refusal: str | None = None) -> str:
    found = item_lists.item(item_id)
    return render_template(
        "office/item.html",
        item=found,
        source=item_lists.source_of(found),
        game=GAMES[found.app_id],
        ages=_ages(),
        cases=case_lists.cases_with(item_id),
        events=item_lists.history_of(found),
        refusal=refusal,
    )


@office.post("/items/<row_id:item_id>/retire")
@needs(Permission.CONTENT_CHANGE)
def retire_item(item_id: int) -> Any:
    def work() -> str:
        name, reason = item_lists.item(item_id).market_hash_name, request.form.get("reason", "")
        held_by = item_actions.retire(name, reason=reason, now=get_services().clock())
        closed = f". Cases that can't be opened meanwhile: {len(held_by)}" if held_by else ""
        return f"The item is retired from sale{closed}"

    return attempt(
        work,
        to=url_for("office.item", item_id=item_id),
        again=lambda refusal: _item(item_id, refusal=refusal),
    )
