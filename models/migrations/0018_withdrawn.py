"""Items and cases can be withdrawn from sale. The lists of cases leave these out by their indexes.

A database of 0.2.0 has the column of cases already.
"""

import peewee

INDEXES = {"cases_by_time": "created_at_ms", "cases_by_price": "price_cents"}
OTHERS = '"id", "kind", "type", "name_folded", "withdrawn_at_ms"'


def up(migrator, db):
    integer = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    for table in ("items", "cases", "irl_cases"):
        if "withdrawn_at_ms" not in {column.name for column in db.get_columns(table)}:
            db.execute_sql(f'ALTER TABLE {table} ADD COLUMN "withdrawn_at_ms" {integer}')
    for name, first in INDEXES.items():
        db.execute_sql(f"DROP INDEX IF EXISTS {name}")
        db.execute_sql(f'CREATE INDEX "{name}" ON "cases" ("{first}", {OTHERS})')
