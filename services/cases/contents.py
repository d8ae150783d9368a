"""The items of a case: checking the request for them, and storing them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from models.cases import CaseItem
from models.items import Item
from services.cases import errors
from services.cases.chances import CERTAIN, Attos, attos_from_percent
from services.cases.kinds import GameType, game_type
from services.cases.pricing import price_of
from services.shared.money import Cents

MAX_ITEM_NAME = 200


@dataclass(frozen=True, slots=True)
class WantedItem:
    """An item and its chance, from a player or a file."""

    market_hash_name: str
    chance: Attos


def wanted_items(items: Iterable[object]) -> list[WantedItem]:
    """Check a list of ``{marketHashName, percentage}``, but not whether the items exist.

    Raises InvalidItemName, InvalidPercentage, PercentageTooFine, PercentagesDoNotAddUp or ItemTwice.
    """
    wanted = [_wanted_item(item) for item in items]
    if sum(item.chance for item in wanted) != CERTAIN:
        raise errors.PercentagesDoNotAddUp
    if len({item.market_hash_name for item in wanted}) < len(wanted):
        raise errors.ItemTwice
    return wanted


def _wanted_item(item: object) -> WantedItem:
    if not isinstance(item, Mapping):
        raise errors.InvalidItemName
    name = item.get("marketHashName")
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_ITEM_NAME:
        raise errors.InvalidItemName
    return WantedItem(name, attos_from_percent(item.get("percentage")))


def type_and_price(wanted: Sequence[WantedItem], items: Mapping[str, Item]) -> tuple[GameType, Cents]:
    """The type and the price of a case with these items. ``items`` has all of them by name."""
    held = [(items[item.market_hash_name], item.chance) for item in wanted]
    price = price_of((item.price_cents, chance) for item, chance in held)
    return game_type({item.app_id for item, _ in held}), price


def insert(case_id: int, wanted: Sequence[WantedItem], items: Mapping[str, Item]) -> None:
    """Insert the items of a case that has none. ``items`` has all of them by name."""
    rows = [
        (case_id, position, items[item.market_hash_name].id, item.chance)
        for position, item in enumerate(wanted)
    ]
    columns = [CaseItem.case, CaseItem.position, CaseItem.item, CaseItem.chance_attos]
    CaseItem.insert_many(rows, columns).execute()
