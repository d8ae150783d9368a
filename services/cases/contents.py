"""The items of a case: checking the request for them, and storing them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from models.cases import CaseItem
from models.items import Item
from services.cases.chances import CERTAIN, Width, difference_to_certain, exact_percent, width_from_percent
from services.cases.kinds import GameType, game_type
from services.cases.pricing import price_of
from services.shared.errors import Refusal
from services.shared.money import Cents

MAX_ITEM_NAME = 200

ChancesByName = Mapping[str, Width]
"""The chance of each item by its name, in the order of the case."""


def wanted_items(items: Iterable[object]) -> ChancesByName:
    """Check a list of ``{marketHashName, percentage}``, but not whether the items exist.

    Raises Refusal.
    """
    pairs = [_name_and_chance(item) for item in items]
    total = sum(chance for _, chance in pairs)
    if total != CERTAIN:
        sum_, difference = exact_percent(total), difference_to_certain(total)
        raise Refusal(f"The percentages must sum to exactly 100: they sum to {sum_}, {difference}")
    wanted = dict(pairs)
    if len(wanted) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise Refusal(f"An item can be in a case only once: {times.most_common(1)[0][0]}")
    return wanted


def _name_and_chance(item: Any) -> tuple[str, Width]:
    name = item.get("marketHashName") if isinstance(item, Mapping) else None
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_ITEM_NAME:
        raise Refusal("Each item must have a valid marketHashName")
    return name, width_from_percent(item.get("percentage"))


def type_and_price(wanted: ChancesByName, items: Mapping[str, Item]) -> tuple[GameType, Cents]:
    """The type and the price of a case with these items. ``items`` has all of them by name."""
    price = price_of((items[name].price_cents, chance) for name, chance in wanted.items())
    return game_type({items[name].app_id for name in wanted}), price


def insert(case_id: int, wanted: ChancesByName, items: Mapping[str, Item]) -> None:
    """Insert the items of a case that has none. ``items`` has all of them by name."""
    rows = [
        (case_id, position, items[name].id, chance) for position, (name, chance) in enumerate(wanted.items())
    ]
    columns = [CaseItem.case, CaseItem.position, CaseItem.item, CaseItem.ticket_width]
    CaseItem.insert_many(rows, columns).execute()
