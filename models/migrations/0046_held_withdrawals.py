"""Adds why, and since when, withdrawals are held."""

import peewee


def up(migrator, db):
    if "held_reason" in {column.name for column in db.get_columns("logs")}:
        return
    db.execute_sql('ALTER TABLE "logs" ADD COLUMN "held_reason" VARCHAR(100)')
    integer = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    db.execute_sql(f'ALTER TABLE "logs" ADD COLUMN "held_at_ms" {integer}')
