"""flask db upgrade on a platform that has cases: what they are worth is known from then on."""

from decimal import Decimal

import pytest

from models.database import database, writing
from models.items import Item
from services import item_import
from services.cases import importing
from services.cases.pricing import follow_item_prices
from services.clock import now_ms
from services.money import MAX_AMOUNT_CENTS

ITEMS = {"Dear": 999_999_999, "None": None, "Cheap": 1}
CHANCES = {"Dear": "33.3333333333333333", "None": "0.0000000000000001", "Cheap": "66.6666666666666666"}


@pytest.fixture
def before_the_values(app):
    """A platform with cases, as it was before the migration that keeps what they are worth."""
    rows = [{"appid": 730, "marketHashName": name, "price": coins} for name, coins in ITEMS.items()]
    item_import.import_document(rows, app_id=None, now=now_ms())
    cases = [
        {"name": "Of one", "items": [{"marketHashName": "Dear", "percentage": 100}]},
        {
            "name": "Of all",
            "items": [
                {"marketHashName": name, "percentage": Decimal(chance)} for name, chance in CHANCES.items()
            ],
        },
    ]
    importing.store(importing.read(cases), now=now_ms())
    with writing():
        database.execute_sql("DROP TABLE case_values")
        database.execute_sql("DELETE FROM schema_migration WHERE name = '0007_case_values'")


@pytest.mark.usefixtures("before_the_values")
def test_an_upgrade_knows_what_every_case_is_worth(run):
    run("db", "upgrade")

    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.usefixtures("before_the_values")
def test_prices_of_cases_go_on_from_there(run):
    run("db", "upgrade")

    with writing():
        item = Item.get(Item.market_hash_name == "None")
        Item.update(price_cents=MAX_AMOUNT_CENTS, price_source="feed").where(Item.id == item.id).execute()
        follow_item_prices({item.id: MAX_AMOUNT_CENTS})
    assert run("ledger", "audit")["mismatches"] == 0
