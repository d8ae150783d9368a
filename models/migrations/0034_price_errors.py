"""Adds the last error of each price source, and when staff asked to accept prices that were held back."""

import peewee

COLUMNS = {"last_error": "VARCHAR(200)", "jumps_accepted_at_ms": "BIGINT"}


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    present = {column.name for column in db.get_columns("price_sources")}
    for name, kind in COLUMNS.items():
        if name not in present:
            of_database = kind.replace("BIGINT", "INTEGER") if is_sqlite else kind
            db.execute_sql(f'ALTER TABLE "price_sources" ADD COLUMN "{name}" {of_database}')
