"""A process stores that requests with forwarding headers arrive which it does not trust."""

import peewee


def up(migrator, db):
    if "untrusted_proxies" not in {column.name for column in db.get_columns("processes")}:
        boolean = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BOOLEAN"
        column = f'"untrusted_proxies" {boolean} NOT NULL DEFAULT FALSE'
        db.execute_sql(f'ALTER TABLE "processes" ADD COLUMN {column}')
