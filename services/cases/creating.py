"""Creating a case as a player."""

import peewee

from models.cases import Case
from models.db.connection import writing
from models.items import Item
from models.users import User
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.cases import contents, errors, version
from services.cases.contents import ChancesByName
from services.cases.kinds import RESERVED_IDS, CaseKind, case_id
from services.shared.clock import Millis
from services.shared.levels import level_of
from services.shared.names import can_be_shown, fold, normalize_name

MIN_LEVEL = 25
MIN_NAME, MAX_NAME = 3, 32
MIN_ITEMS, MAX_ITEMS = 2, 100
MAX_CASES = 50
BALANCE_TYPE = "balance"


def check_level(player: User) -> None:
    """Raises LevelTooLow for a player who may not create cases yet."""
    if level_of(player) < MIN_LEVEL:
        raise errors.LevelTooLowToCreate


def create(*, creator: User, name: object, items: object, now: Millis) -> str:
    """Create a case and return its id. ``name`` and ``items`` are the unchecked values of the body.

    When two concurrent requests have one name, the unique columns refuse the second. ``begin_change`` lets
    one request at a time count the player's cases, so none exceeds the limit. Raises one of
    services/cases/errors.py, in the promised order: level, name, items, prices, duplicate, number.
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
                creator=creator,
                used_balance_type=BALANCE_TYPE,
                created_at_ms=now,
            ).execute()
        except peewee.IntegrityError:
            raise errors.DuplicateName from None
        if Case.select().where(Case.creator == creator).count() > MAX_CASES:
            raise errors.TooManyCases
        contents.insert(row_id, wanted, found)
        created = {"case": case_id(checked_name)}
        record(AuditEventType.CASE_CREATED, now=now, user_id=creator.id, after=created)
    return case_id(checked_name)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not MIN_NAME <= len(chosen := normalize_name(name)) <= MAX_NAME:
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


def _wanted_items(items: object) -> ChancesByName:
    if not isinstance(items, list) or len(items) < MIN_ITEMS:
        raise errors.TooFewItems
    if len(items) > MAX_ITEMS:
        raise errors.TooManyItems
    return contents.wanted_items(items)


def _priced_items(wanted: ChancesByName) -> dict[str, Item]:
    """The wanted items by name. Raises UnknownItem and ItemWithoutPrice."""
    query = Item.select().where(Item.market_hash_name.in_(list(wanted)), Item.retired_at_ms.is_null())
    found = {item.market_hash_name: item for item in query}
    if len(found) < len(wanted):
        raise errors.UnknownItem
    if any(item.price_cents is None for item in found.values()):
        raise errors.ItemWithoutPrice
    return found
