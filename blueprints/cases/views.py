"""Cases as JSON values. Written out rather than dumped: a page may hold thousands of items."""

from collections.abc import Sequence
from typing import Any

from blueprints.common.media import item_image_url
from services import item_names
from services.cases.chances import percent_from_attos
from services.cases.reading import ShownCase, ShownItem
from services.money import number_from_cents, price_text


def listed_case(case: ShownCase) -> dict[str, Any]:
    """A case of the whole list."""
    return {
        "id": case.id,
        "name": case.name,
        "price": number_from_cents(case.price_cents),
        "creator": case.creator,
        "items": [_item(item) for item in case.items],
    }


def listed_cases(cases: Sequence[ShownCase]) -> list[dict[str, Any]]:
    return [listed_case(case) for case in cases]


def paged_case(case: ShownCase) -> dict[str, Any]:
    """A case of a page: also what is optional."""
    view = listed_case(case) | {"type": case.type, "spins": case.spins}
    if case.used_balance_type is not None:
        view["usedBalanceType"] = case.used_balance_type
    return view


def single_case(case: ShownCase) -> dict[str, Any]:
    """A case by itself: its items also say their wear, where their names do."""
    return paged_case(case) | {"items": [_item_with_wear(item) for item in case.items]}


def free_case(case: ShownCase) -> dict[str, Any]:
    view = listed_case(case)
    del view["creator"]
    return view


def _item(item: ShownItem) -> dict[str, Any]:
    return {
        "appid": item.app_id,
        "marketHashName": item.market_hash_name,
        "gunName": item.gun_name,
        "skinName": item.skin_name,
        "image": item_image_url(item.image),
        "price": None if item.price_cents is None else price_text(item.price_cents),
        "nextPriceFetch": item.next_price_fetch_ms,
        "percentage": percent_from_attos(item.chance),
    }


def _item_with_wear(item: ShownItem) -> dict[str, Any]:
    wear = item_names.parse(item.market_hash_name).wear
    return _item(item) | ({"wear": wear} if wear else {})
