"""Names the columns of encrypted values ``encrypted_…``, and the chance of an item ``ticket_width``."""

import peewee

COLUMNS = (
    ("announced_seeds", "sealed_server_seed", "encrypted_server_seed"),
    ("bets", "sealed_server_seed", "encrypted_server_seed"),
    ("two_factor", "sealed_secret", "encrypted_secret"),
    ("recovery_codes", "sealed_code", "encrypted_code"),
    ("prizes", "sealed_address", "encrypted_address"),
    ("audit_keys", "sealed_key", "encrypted_key"),
    ("case_items", "chance_attos", "ticket_width"),
    ("irl_items", "chance_attos", "ticket_width"),
)
# PostgreSQL names constraints after their column, and keeps the names; from version 18 on NOT NULL
# is a constraint too.
CONSTRAINTS = """
SELECT conname FROM pg_constraint WHERE conrelid = CAST(%s AS regclass) AND conname LIKE %s
"""


def up(migrator, db):
    for table, old, new in COLUMNS:
        if old not in {column.name for column in db.get_columns(table)}:
            continue
        # Without quotes, or SQLite would put them around the name in checks, unlike in a new database.
        db.execute_sql(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
        if not isinstance(db, peewee.SqliteDatabase):
            _rename_constraints(db, table, old, new)


def _rename_constraints(db, table, old, new):
    for (name,) in db.execute_sql(CONSTRAINTS, (table, f"{table}_{old}_%")).fetchall():
        renamed = name.replace(old, new)
        db.execute_sql(f"ALTER TABLE {table} RENAME CONSTRAINT {name} TO {renamed}")
