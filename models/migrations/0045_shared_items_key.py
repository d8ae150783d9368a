"""Adds the primary key of the shared catalogue: a table without one can't be replicated logically."""

import peewee

KEY = 'PRIMARY KEY ("app_id", "market_hash_name")'

# SQLite adds no primary key, and this table is empty there.
SQLITE_TABLE = (
    'CREATE TABLE "shared_items" ("app_id" INTEGER NOT NULL, "market_hash_name" VARCHAR(200) NOT NULL,'
    ' "gun_name" VARCHAR(200) NOT NULL, "skin_name" VARCHAR(200) NOT NULL, "image" VARCHAR(1000) NOT NULL,'
    f' "price_cents" INTEGER NOT NULL, "next_price_fetch_ms" INTEGER NOT NULL, {KEY})'
)


def up(migrator, db):
    if db.get_primary_keys("shared_items"):
        return
    if isinstance(db, peewee.SqliteDatabase):
        db.execute_sql('DROP TABLE "shared_items"')
        db.execute_sql(SQLITE_TABLE)
    else:
        db.execute_sql(f'ALTER TABLE "shared_items" ADD {KEY}')
