"""Adds what was paid for a deposit, also when staff decided, and since when a payout has been in progress."""

import peewee

COLUMNS = (
    ("deposits", "paid_cents"),
    ("deposits", "decided_paid_cents"),
    ("withdrawals", "in_progress_since_ms"),
)


def up(migrator, db):
    integer = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    for table, column in COLUMNS:
        if column not in {each.name for each in db.get_columns(table)}:
            db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN "{column}" {integer}')
