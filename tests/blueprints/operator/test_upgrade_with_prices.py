"""flask db upgrade on a database with prices and cases: they are kept, and each price gets its source."""

import pytest

from models.cases import Case
from models.db.connection import database, reading, writing
from models.items import Item
from services.cases import importing as cases_importing
from services.items import importing as items_importing
from services.shared.clock import now_ms

OLD_COLUMNS = (
    "etag VARCHAR(500)",
    "last_modified VARCHAR(500)",
    "inventory VARCHAR(200)",
    "marker_ms BIGINT",
    "last_item_id BIGINT NOT NULL DEFAULT 0",
)
MARKER = 7000
NEXT_FETCH = {"Of the feed": MARKER, "Of the market": 5001, "Of an import": 4999, "None": MARKER}


@pytest.fixture
def before_the_sources(app):
    """A database as it was before the migration that stores where prices come from."""
    rows = [
        {
            "appid": 730,
            "marketHashName": name,
            "price": None if name == "None" else 1,
            "nextPriceFetch": next_fetch,
        }
        for name, next_fetch in NEXT_FETCH.items()
    ]
    own = {"appid": 730, "marketHashName": "Own", "price": 1, "customPrice": True, "nextPriceFetch": MARKER}
    items_importing.import_document([*rows, own], app_id=None, now=now_ms())
    held = [{"marketHashName": name, "percentage": 50} for name in ("Of the feed", "None")]
    cases_importing.import_cases([{"name": "Case", "items": held}], now=now_ms())
    with writing():
        for column in ("in_feed", "price_source"):
            database.execute_sql(f"ALTER TABLE items DROP COLUMN {column}")
        for column in OLD_COLUMNS:
            database.execute_sql(f"ALTER TABLE price_sources ADD COLUMN {column}")
        database.execute_sql("UPDATE price_sources SET marker_ms = 7000 WHERE name = 'feed'")
        database.execute_sql("UPDATE price_sources SET succeeded_at_ms = 5000 WHERE name = 'market'")
        database.execute_sql("DROP TABLE leases")
        for number in ("0007", "0009", "0011", "0012", "0015"):
            database.execute_sql(f"DELETE FROM schema_migration WHERE name LIKE '{number}_%%'")  # noqa: S608


@pytest.mark.usefixtures("before_the_sources")
def test_an_upgrade_stores_the_source_of_each_price_and_keeps_the_prices_of_cases(run):
    run("db", "upgrade")

    with reading():
        sources = dict(Item.select(Item.market_hash_name, Item.price_source).tuples())
        compared = Item.select().where(Item.in_feed.is_null(is_null=False)).exists()
        assert "case_values" not in database.get_tables()
        assert Case.get().price_cents == 53
    assert sources == {
        "Of the feed": "feed",
        "Of the market": "market",
        "Of an import": "import",
        "None": None,
        "Own": "import",
    }
    assert not compared
    assert run("ledger", "audit")["mismatches"] == 0
