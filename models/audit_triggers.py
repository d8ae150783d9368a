"""The triggers that refuse to update, replace or delete rows of the audit trail."""

from models.db.connection import Sqlite, database

# The unique columns of each append-only table. SQLite's INSERT OR REPLACE deletes rows without calling the
# triggers of a deletion.
APPEND_ONLY = {"audit_events": ("id",), "audit_seals": ("number", "event_id")}

SQLITE_TRIGGER = """
CREATE TRIGGER {name} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

POSTGRES_FUNCTION = "refuse_audit_change()"
POSTGRES_BODY = """
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
"""

# As PostgreSQL prints it.
POSTGRES_TRIGGER = (
    "CREATE TRIGGER {name} BEFORE DELETE OR UPDATE OR TRUNCATE ON {table}"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
)


def create_triggers() -> None:
    """Create the triggers in a database that has the tables of ``models/audit_trail.py``."""
    if not isinstance(database.obj, Sqlite):
        body = POSTGRES_BODY.replace("%", "%%")
        database.execute_sql(
            f"CREATE FUNCTION {POSTGRES_FUNCTION} RETURNS trigger LANGUAGE plpgsql AS $${body}$$"
        )
    for definition in triggers().values():
        database.execute_sql(definition)


def triggers() -> dict[tuple[str, str], str]:
    """The statement that creates each trigger in the open database, by the trigger's name and its table."""
    if isinstance(database.obj, Sqlite):
        return {
            key: definition
            for table, unique in APPEND_ONLY.items()
            for key, definition in _of_sqlite(table, unique).items()
        }
    names = {table: f"{table}_refuse_change" for table in APPEND_ONLY}
    return {(name, table): POSTGRES_TRIGGER.format(name=name, table=table) for table, name in names.items()}


def _of_sqlite(table: str, unique: tuple[str, ...]) -> dict[tuple[str, str], str]:
    same = " OR ".join(f"{column} = NEW.{column}" for column in unique)
    replaces = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608  # constant names
    events = {"update": ("UPDATE", ""), "delete": ("DELETE", ""), "replace": ("INSERT", replaces)}
    return {
        (name := f"{table}_refuse_{verb}", table): SQLITE_TRIGGER.format(
            name=name, event=event, table=table, condition=condition
        )
        for verb, (event, condition) in events.items()
    }
