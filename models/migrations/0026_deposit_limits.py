"""Players can limit their deposits: three columns of ``users``, and requests of the kind ``deposit``."""

import peewee

# The same text as in a new database.
REQUESTS_OF_SQLITE = (
    'CREATE TABLE "limit_requests" ('
    '"id" VARCHAR(32) NOT NULL PRIMARY KEY, '
    '"user_id" INTEGER NOT NULL, '
    "\"kind\" VARCHAR(7) NOT NULL CHECK (kind IN ('wager', 'loss', 'deposit')), "
    "\"period\" VARCHAR(5) NOT NULL CHECK (period IN ('day', 'week', 'month')), "
    '"value_cents" INTEGER CHECK (value_cents >= 0), '
    '"requested_at_ms" INTEGER NOT NULL, '
    'FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT)'
)
INDEX_OF_REQUESTS = (
    'CREATE UNIQUE INDEX "limit_requests_user_id_kind_period"'
    ' ON "limit_requests" ("user_id", "kind", "period")'
)
REQUESTS_OF_POSTGRESQL = """
ALTER TABLE limit_requests
    DROP CONSTRAINT limit_requests_kind_check,
    ALTER COLUMN kind TYPE VARCHAR(7),
    ADD CONSTRAINT limit_requests_kind_check CHECK (kind IN ('wager', 'loss', 'deposit'))
"""


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    integer = "INTEGER" if is_sqlite else "BIGINT"
    present = {column.name for column in db.get_columns("users")}
    for period in ("day", "week", "month"):
        column = f"{period}_deposit_limit_cents"
        if column not in present:
            db.execute_sql(f'ALTER TABLE "users" ADD COLUMN "{column}" {integer}')
    if is_sqlite:
        _rebuild_requests(db)
    else:
        db.execute_sql(REQUESTS_OF_POSTGRESQL)


def _rebuild_requests(db):
    """SQLite can't change a check."""
    columns = "id, user_id, kind, period, value_cents, requested_at_ms"
    db.execute_sql("ALTER TABLE limit_requests RENAME TO old_limit_requests")
    db.execute_sql(REQUESTS_OF_SQLITE)
    db.execute_sql(
        f"INSERT INTO limit_requests ({columns}) SELECT {columns} FROM old_limit_requests"  # noqa: S608  # constant
    )
    db.execute_sql("DROP TABLE old_limit_requests")
    db.execute_sql(INDEX_OF_REQUESTS)
