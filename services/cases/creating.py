"""Making a case of one's own. Source: SPEC 4.1, DECISIONS, "Cases"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import peewee

from models.cases import Case, CaseCount, CaseItem
from models.database import writing
from models.items import Item
from models.users import User
from services.cases import errors, version
from services.cases.chances import CERTAIN, Attos, NotAPercentage, TooFine, attos_from_percent
from services.cases.kinds import RESERVED_IDS, Kind, can_be_shown, case_id, fold, game_type, tidy
from services.cases.pricing import price_of
from services.clock import Millis
from services.levels import experience_of, level_of

MIN_LEVEL = 25
MIN_NAME, MAX_NAME = 3, 32
MIN_ITEMS, MAX_ITEMS = 2, 100
MAX_ITEM_NAME = 200
MAX_CASES = 50
BALANCE_TYPE = "balance"


@dataclass(frozen=True, slots=True)
class WantedItem:
    """An item and its chance, as a player or a file asks for them."""

    market_hash_name: str
    chance: Attos


def check_level(player: User) -> None:
    """Raises LevelTooLow for a player who may not make cases yet."""
    experience = experience_of(granted=player.granted_experience, wagered_cents=player.wagered_cents)
    if level_of(experience) < MIN_LEVEL:
        raise errors.LevelTooLow


def create(*, creator: User, name: object, items: object, now: Millis) -> str:
    """Make a case and return its id. ``name`` and ``items`` are what the body holds under these keys.

    Of two at once with one name, the unique name and id let one through, and the other is refused as if
    it had come later; the fiftieth case is the last in whatever order they come. Raises one of
    services/cases/errors.py, in the order of SPEC 4.1: level, name, items, prices, duplicate, number.
    """
    check_level(creator)
    chosen = _chosen_name(name)
    wanted = _wanted_items(items)
    with writing():
        version.begin_change()
        found = _inventory(wanted)
        _check_unused(chosen)
        _count_one_more(creator)
        row_id = _insert(
            name=chosen,
            type=game_type({item.app_id for item in found.values()}),
            price_cents=price_of((found[item.market_hash_name].price_cents, item.chance) for item in wanted),
            creator=creator,
            created_at_ms=now,
        )
        CaseItem.insert_many(
            [
                (row_id, position, found[item.market_hash_name].id, item.chance)
                for position, item in enumerate(wanted)
            ],
            fields=[CaseItem.case, CaseItem.position, CaseItem.item, CaseItem.chance_attos],
        ).execute()
    return case_id(chosen)


def _chosen_name(name: object) -> str:
    if not isinstance(name, str) or not MIN_NAME <= len(chosen := tidy(name)) <= MAX_NAME:
        raise errors.InvalidCaseName
    if not can_be_shown(chosen):
        raise errors.NameCannotBeShown
    folded = fold(chosen)
    if folded.startswith("level"):
        raise errors.NameStartsWithLevel
    if folded.startswith("free"):
        raise errors.NameStartsWithFree
    if case_id(chosen) in RESERVED_IDS:
        raise errors.ReservedName
    return chosen


def _wanted_items(items: object) -> list[WantedItem]:
    if not isinstance(items, list) or len(items) < MIN_ITEMS:
        raise errors.TooFewItems
    if len(items) > MAX_ITEMS:
        raise errors.TooManyItems
    wanted = [_wanted_item(item) for item in items]
    if sum(item.chance for item in wanted) != CERTAIN:
        raise errors.PercentagesDoNotAddUp
    if len({item.market_hash_name for item in wanted}) < len(wanted):
        raise errors.ItemTwice
    return wanted


def _wanted_item(item: object) -> WantedItem:
    """Raises InvalidItemName, InvalidPercentage or PercentageTooFine."""
    name: Any = item.get("marketHashName") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(name, str) or not name.strip():
        raise errors.InvalidItemName
    if len(name) > MAX_ITEM_NAME:
        raise errors.InvalidItemName
    try:
        return WantedItem(name, attos_from_percent(item.get("percentage")))
    except TooFine:
        raise errors.PercentageTooFine from None
    except NotAPercentage:
        raise errors.InvalidPercentage from None


def _inventory(wanted: Sequence[WantedItem]) -> dict[str, Item]:
    """These items as they are now, by name. Raises UnknownItem and ItemWithoutPrice."""
    names = [item.market_hash_name for item in wanted]
    found = {item.market_hash_name: item for item in Item.select().where(Item.market_hash_name.in_(names))}
    if len(found) < len(names):
        raise errors.UnknownItem
    if any(item.price_cents is None for item in found.values()):
        raise errors.ItemWithoutPrice
    return found


def _check_unused(name: str) -> None:
    """Raises DuplicateName; the unique columns say the same to one who is a moment later."""
    same = (Case.slug == case_id(name)) | (Case.name_folded == fold(name))
    if Case.select(Case.id).where(same).exists():
        raise errors.DuplicateName


def _insert(*, name: str, **columns: Any) -> int:
    """Raises DuplicateName when another process's case was a moment quicker."""
    try:
        row_id: int = Case.insert(
            slug=case_id(name),
            name=name,
            name_folded=fold(name),
            kind=Kind.REGULAR,
            used_balance_type=BALANCE_TYPE,
            **columns,
        ).execute()
    except peewee.IntegrityError:
        raise errors.DuplicateName from None
    return row_id


def _count_one_more(creator: User) -> None:
    """Count a player's case, if there is one left. Raises TooManyCases."""
    CaseCount.insert(user=creator, made=0).on_conflict_ignore().execute()
    counted = (
        CaseCount.update(made=CaseCount.made + 1)
        .where((CaseCount.user == creator) & (CaseCount.made < MAX_CASES))
        .execute()
    )
    if not counted:
        raise errors.TooManyCases
