"""Where each item's price comes from, and whether the price feed contains the item.

Before, it followed from the time of an item's next price: items of the feed had the feed's next refresh.
"""

import peewee

SQLITE_BOOLEAN, POSTGRESQL_BOOLEAN = "INTEGER", "BOOLEAN"

# Other prices count as the market's if their next request is after the market's last answer.
FILL = """
    UPDATE items SET price_source = CASE
        WHEN custom_price THEN 'import'
        WHEN next_price_fetch_ms = (SELECT marker_ms FROM price_sources WHERE name = 'feed') THEN 'feed'
        WHEN next_price_fetch_ms >
            (SELECT succeeded_at_ms FROM price_sources WHERE name = 'market') THEN 'market'
        ELSE 'import'
    END
    WHERE price_cents IS NOT NULL
"""


def up(migrator, db):
    boolean = SQLITE_BOOLEAN if isinstance(db, peewee.SqliteDatabase) else POSTGRESQL_BOOLEAN
    db.execute_sql(
        'ALTER TABLE "items" ADD COLUMN "price_source" VARCHAR(8)'
        " CHECK (price_source IN ('import', 'feed', 'market'))"
    )
    db.execute_sql(FILL)
    db.execute_sql(
        f'ALTER TABLE "items" ADD COLUMN "in_feed" {boolean}'
        " CHECK ((price_cents IS NULL) = (price_source IS NULL))"
    )
    db.execute_sql(
        'CREATE INDEX "items_waiting_for_feed" ON "items" ("id")'
        " WHERE (price_cents IS NULL AND in_feed IS NULL)"
    )
    # Which items the feed contains is unknown until its next refresh compares every item.
    db.execute_sql("UPDATE price_sources SET etag = NULL, last_modified = NULL")
    for column in ("inventory", "marker_ms", "last_item_id"):
        db.execute_sql(f'ALTER TABLE "price_sources" DROP COLUMN "{column}"')
