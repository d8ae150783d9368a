"""Creating a case as a player."""

import peewee

from models.callers import AnyPlayer, Caller
from models.cases import Case
from models.db.connection import writing
from models.items import Item
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.cases import contents, version
from services.cases.contents import ChancesByName
from services.cases.kinds import RESERVED_IDS, CaseKind, case_id
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.levels import level_of
from services.shared.text import can_be_shown, fold, normalize_name

MIN_LEVEL = 25
MIN_NAME, MAX_NAME = 3, 32
MIN_ITEMS, MAX_ITEMS = 2, 100
MAX_CASES = 50
BALANCE_TYPE = "balance"


def check_level(player: AnyPlayer) -> None:
    """Raises Refusal for a player who may not create cases yet."""
    if level_of(player) < MIN_LEVEL:
        raise Refusal("You must be at least level 25 to create a case", status=403)


def create(*, creator: Caller, name: object, items: object, now: Millis) -> str:
    """Create a case and return its id. ``name`` and ``items`` are the unchecked values of the body.

    When two concurrent requests have one name, the unique columns refuse the second. ``begin_change`` lets
    one request at a time count the player's cases, so none exceeds the limit. Raises Refusal,
    in the promised order: level, name, items, prices, duplicate, number.
    """
    check_level(creator)
    checked_name = _checked_name(name)
    wanted = _wanted_items(items)
    with writing():
        version.begin_change()
        found = _priced_items(wanted)
        type_, price = contents.type_and_price(wanted, found)
        try:
            row_id = Case.insert(
                slug=case_id(checked_name),
                name=checked_name,
                name_folded=fold(checked_name),
                kind=CaseKind.REGULAR,
                type=type_,
                price_cents=price,
                creator=creator.id,
                used_balance_type=BALANCE_TYPE,
                created_at_ms=now,
            ).execute()
        except peewee.IntegrityError:
            raise Refusal("A case with this name already exists") from None
        if Case.select().where(Case.creator == creator.id).count() > MAX_CASES:
            raise Refusal("You can only create up to 50 cases")
        contents.insert(row_id, [(found[item].id, chance) for item, chance in wanted.items()])
        created = {"case": case_id(checked_name)}
        record(AuditEventType.CASE_CREATED, now=now, user_id=creator.id, after=created)
    return case_id(checked_name)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not MIN_NAME <= len(chosen := normalize_name(name)) <= MAX_NAME:
        raise Refusal("Case name must be 3-32 characters")
    if not can_be_shown(chosen):
        raise Refusal("Case name has characters that cannot be shown")
    folded = fold(chosen)
    if folded.startswith("level"):
        raise Refusal("Case name cannot start with 'level'")
    if folded.startswith("free"):
        raise Refusal("Case name cannot start with 'free'")
    if case_id(chosen) in RESERVED_IDS:
        raise Refusal("This case name is reserved")
    return chosen


def _wanted_items(items: object) -> ChancesByName:
    if not isinstance(items, list) or len(items) < MIN_ITEMS:
        raise Refusal("A case must have at least 2 items")
    if len(items) > MAX_ITEMS:
        raise Refusal("A case can have at most 100 items")
    return contents.wanted_items(items)


def _priced_items(wanted: ChancesByName) -> dict[str, Item]:
    """The wanted items by name. Raises Refusal if one does not exist or has no price."""
    query = Item.select().where(Item.market_hash_name.in_(list(wanted)), Item.retired_at_ms.is_null())
    found = {item.market_hash_name: item for item in query}
    if len(found) < len(wanted):
        raise Refusal("Every item must exist in the inventory")
    if any(item.price_cents is None for item in found.values()):
        raise Refusal("An item has no price at the moment")
    return found
