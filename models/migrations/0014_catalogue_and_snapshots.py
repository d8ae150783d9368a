"""Stores the shared catalogue as rows, and finds snapshots by their ids.

A database of 0.2.0 has the new table already, and lacks the old tables and the index.
"""

import peewee

SHARED_ITEMS = """
CREATE TABLE IF NOT EXISTS shared_items (
    app_id INTEGER NOT NULL, market_hash_name VARCHAR(200) NOT NULL, gun_name VARCHAR(200) NOT NULL,
    skin_name VARCHAR(200) NOT NULL, image VARCHAR(1000) NOT NULL, price_cents {integer} NOT NULL,
    next_price_fetch_ms {integer} NOT NULL
)
"""


def up(migrator, db):
    for table in ("catalogue_slices", "catalogue_generations"):
        db.execute_sql(f"DROP TABLE IF EXISTS {table}")
    integer = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    db.execute_sql(SHARED_ITEMS.format(integer=integer))
    db.execute_sql("DROP INDEX IF EXISTS snapshots_hash")
