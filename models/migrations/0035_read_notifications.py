"""Adds the time up to which a player has read the notifications."""

import peewee


def up(migrator, db):
    integer = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    if "notifications_read_at_ms" not in {column.name for column in db.get_columns("users")}:
        db.execute_sql(
            f'ALTER TABLE "users" ADD COLUMN "notifications_read_at_ms" {integer} NOT NULL DEFAULT 0'
        )
