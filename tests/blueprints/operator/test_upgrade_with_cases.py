"""flask db upgrade on a database with cases: they keep their prices when the stored case values go."""

import pytest

from models.cases import Case
from models.db.connection import database, reading, writing
from services.cases import importing
from services.items import importing as items_importing
from services.shared.clock import now_ms

MIGRATIONS = ["0007_case_values", "0011_no_case_values"]


def import_items(**prices):
    rows = [{"appid": 730, "marketHashName": name, "price": price} for name, price in prices.items()]
    items_importing.import_document(rows, app_id=None, now=now_ms())


def case_prices():
    with reading():
        return dict(Case.select(Case.slug, Case.price_cents).tuples())


@pytest.fixture
def before_the_removal(app):
    """Two cases, in a database that neither stores case values nor has removed them yet."""
    import_items(Red=10, Blue=1)
    contents = {"Even": (50, 50), "Red only": (100, 0)}
    cases = [
        {
            "name": name,
            "items": [
                {"marketHashName": "Red", "percentage": red},
                {"marketHashName": "Blue", "percentage": blue},
            ],
        }
        for name, (red, blue) in contents.items()
    ]
    importing.import_cases(cases, now=now_ms())
    with writing():
        database.execute_sql(
            "DELETE FROM schema_migration WHERE name IN ('0007_case_values', '0011_no_case_values')"
        )


@pytest.mark.usefixtures("before_the_removal")
def test_an_upgrade_removes_the_case_values_and_case_prices_follow_their_items(run):
    before = case_prices()

    assert run("db", "upgrade") == {"applied": MIGRATIONS}

    with reading():
        assert "case_values" not in database.get_tables()
    assert case_prices() == before == {"even": 579, "red-only": 1053}
    assert run("ledger", "audit")["mismatches"] == 0

    import_items(Red=20)

    assert case_prices() == {"even": 1106, "red-only": 2106}
