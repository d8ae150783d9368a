"""The constraints of the tables of cases."""

import peewee

from models.cases import Case, CaseItem, CaseVersion
from models.db.connection import reading, writing
from models.items import Item
from models.ledger import LedgerEntry
from models.users import AnnouncedSeed, User
from tests.blueprints.cases.conftest import GLOVES, RED

CASE = {
    "slug": "case",
    "name": "Case",
    "name_folded": "case",
    "kind": "regular",
    "type": "gamea",
    "price_cents": 1,
    "created_at_ms": 1_700_000_000_000,
}


def refused(action):
    """Whether the database refuses this."""
    try:
        with writing():
            action()
    except peewee.IntegrityError:
        return True
    return False


def test_the_table_of_cases_refuses_invalid_rows(app):
    changes = [
        {"kind": "gold"},
        {"kind": "free"},
        {"slug": "free-case"},
        {"slug": "free-case", "kind": "level"},
        {"type": "gamec"},
        {"price_cents": -1},
        {"price_cents": None},
        {"required_level": 1},
        {"kind": "level", "required_level": -1},
        {"creator": 999},
        {"name": None},
    ]

    taken = [change for change in changes if not refused(Case.insert(CASE | change).execute)]

    assert taken == []
    assert not refused(Case.insert(CASE | {"slug": "free-case", "kind": "free"}).execute)


def test_the_table_of_case_items_refuses_invalid_rows(put):
    put("Case", {RED: 100})
    with reading():
        case, red, gloves = Case.get(), *(Item.get(Item.market_hash_name == name) for name in (RED, GLOVES))
    row = {"case": case, "item": gloves, "position": 1, "chance_attos": 1}
    changes = [
        {"chance_attos": -1},
        {"chance_attos": 10**18 + 1},
        {"position": -1},
        {"position": 0},
        {"item": red},
        {"item": 999},
        {"case": 999},
    ]

    taken = [change for change in changes if not refused(CaseItem.insert(row | change).execute)]

    assert taken == []
    assert not refused(CaseItem.insert(row).execute)


def test_what_a_case_refers_to_cannot_be_deleted(put, player):
    put("Case", {RED: 100})
    with writing():
        AnnouncedSeed.delete().execute()
        LedgerEntry.delete().execute()
        Case.update(creator=player.id).execute()

    assert refused(Item.delete().where(Item.market_hash_name == RED).execute)
    assert refused(User.delete().execute)
    with writing():
        Case.update(creator=None).execute()
    assert not refused(User.delete().execute)


def test_there_is_one_version(app):
    assert refused(CaseVersion.insert(id=2, version=1).execute)
