"""A number that grows with every change of a player's balances.

A constant default takes no time on a large table: both databases store it with the table's definition.
"""

import peewee


def up(migrator, db):
    kind = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    db.execute_sql(f'ALTER TABLE "users" ADD COLUMN "balance_version" {kind} NOT NULL DEFAULT 0')
