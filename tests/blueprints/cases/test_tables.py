"""The constraints of the tables of cases."""

import peewee
import pytest

from models.cases import Case, CaseCount, CaseItem, CaseVersion
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
OTHER = CASE | {"slug": "other", "name": "Other", "name_folded": "other"}


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


def test_two_cases_cannot_share_an_id_or_a_name(app):
    assert not refused(Case.insert(CASE).execute)

    shared = [refused(Case.insert(OTHER | {key: CASE[key]}).execute) for key in ("slug", "name_folded")]

    assert shared == [True, True]
    assert not refused(Case.insert(OTHER).execute)


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


def test_an_item_of_a_case_cannot_be_deleted(put):
    put("Case", {RED: 100})

    assert refused(Item.delete().where(Item.market_hash_name == RED).execute)


def test_a_player_with_cases_cannot_be_deleted(app, player):
    with writing():
        AnnouncedSeed.delete().execute()
        LedgerEntry.delete().execute()
        Case.insert(CASE | {"creator": player.id}).execute()

    assert refused(User.delete().execute)
    assert not refused(Case.delete().execute)
    assert not refused(User.delete().execute)


def test_the_table_of_case_counts_refuses_more_than_50(app, player):
    assert refused(CaseCount.insert(user=player.id, made=51).execute)
    assert not refused(CaseCount.insert(user=player.id, made=50).execute)


def test_the_table_of_versions_has_one_row(app):
    assert refused(CaseVersion.insert(id=2, version=1).execute)


@pytest.mark.parametrize("kind", ["regular", "level"])
def test_only_the_free_case_has_its_id(app, kind):
    assert refused(Case.insert(CASE | {"slug": "free-case", "kind": kind}).execute)
