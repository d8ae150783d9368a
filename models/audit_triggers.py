"""The triggers that refuse to update, replace or delete rows of the audit trail."""

from models.db.connection import Sqlite, database

# The unique columns of each append-only table. SQLite's INSERT OR REPLACE deletes rows without calling the
# triggers of a deletion.
APPEND_ONLY = {"audit_events": ("id",), "audit_seals": ("number", "event_id")}

SQLITE_TRIGGER = """
CREATE TRIGGER {table}_refuse_{name} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

POSTGRES_FUNCTION = """
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""

POSTGRES_TRIGGER = """
CREATE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()
"""


def create_triggers() -> None:
    """Create the triggers in a database that has the tables of ``models/audit_trail.py``."""
    if isinstance(database.obj, Sqlite):
        for table, unique in APPEND_ONLY.items():
            _refuse_on_sqlite(table, unique)
    else:
        database.execute_sql(POSTGRES_FUNCTION)
        for table in APPEND_ONLY:
            database.execute_sql(POSTGRES_TRIGGER.format(table=table))


def _refuse_on_sqlite(table: str, unique: tuple[str, ...]) -> None:
    same = " OR ".join(f"{column} = NEW.{column}" for column in unique)
    replaces = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608  # names of our own
    for name, event, condition in (
        ("update", "UPDATE", ""),
        ("delete", "DELETE", ""),
        ("replace", "INSERT", replaces),
    ):
        database.execute_sql(SQLITE_TRIGGER.format(table=table, name=name, event=event, condition=condition))
