"""The triggers of the audit trail, and what differs from the tables and triggers that this version creates.

Triggers refuse to update, replace or delete events and anchors; only an erasure may change an event, once
(services/audit_trail/erasure.py). Those that somebody else has added, rules and policies can drop an event
while it is written, and without the triggers rows can be changed.
"""

from collections.abc import Iterator
from typing import Any

from models.audit_trail import AuditAnchor, AuditEvent, KnownSetting
from models.db.connection import database
from models.db.sqlite import Sqlite
from models.log import Log, LogBundle, LogCheckpoint, LogEntry, LogTile

TABLES: dict[str, Any] = {
    table._meta.table_name: table  # noqa: SLF001  # peewee's documented place of a table's name
    for table in (AuditEvent, AuditAnchor, KnownSetting, Log, LogTile, LogBundle, LogEntry, LogCheckpoint)
}

CONTENT = "id, at_ms, who, what, player, address, before, after, salt, digest"
"""The columns of an event that never change, but for an erasure."""

NO_ERASURE = (
    "old.erased_by IS NOT NULL OR new.erased_by IS NULL OR new.salt::text <> ''::text"
    " OR new.address IS NOT NULL OR new.id <> old.id OR new.at_ms <> old.at_ms"
    " OR new.what::text <> old.what::text OR new.digest::text <> old.digest::text"
)
"""An update is not the one that erases an event, and keeps what the chain of digests needs. As PostgreSQL
prints the condition."""

# REPLACE deletes rows without calling the triggers of a deletion.
SQLITE_TRIGGERS = {
    "audit_events_refuse_update": (
        f"UPDATE OF {CONTENT}, erased_by ON audit_events WHEN {NO_ERASURE.replace('::text', '')}"
    ),
    "audit_events_refuse_delete": "DELETE ON audit_events",
    "audit_events_refuse_replace": (
        "INSERT ON audit_events"
        " WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id OR number = NEW.number)"
    ),
    "audit_events_refuse_renumber": (
        "UPDATE OF number ON audit_events WHEN OLD.number IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM audit_events WHERE number = NEW.number)"
    ),
    "audit_anchors_refuse_update": "UPDATE ON audit_anchors",
    "audit_anchors_refuse_delete": "DELETE ON audit_anchors",
    "audit_anchors_refuse_replace": (
        "INSERT ON audit_anchors WHEN EXISTS (SELECT 1 FROM audit_anchors WHERE events = NEW.events)"
    ),
}

# As PostgreSQL prints them.
POSTGRES_TRIGGERS = {
    "audit_events_refuse_change": "DELETE OR TRUNCATE ON audit_events FOR EACH STATEMENT",
    "audit_events_refuse_update": (
        f"UPDATE OF {CONTENT}, erased_by ON audit_events FOR EACH ROW WHEN ({NO_ERASURE})"
    ),
    "audit_events_refuse_renumber": (
        "UPDATE OF number ON audit_events FOR EACH ROW WHEN (old.number IS NOT NULL)"
    ),
    "audit_anchors_refuse_change": "DELETE OR UPDATE OR TRUNCATE ON audit_anchors FOR EACH STATEMENT",
}
POSTGRES_FUNCTION = "refuse_audit_change()"
POSTGRES_BODY = """
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
"""

# A trigger's table is stored as its statement writes it.
SQLITE_OBJECTS = f"""
SELECT type || ' ' || name || CASE type WHEN 'trigger' THEN ' of ' || LOWER(tbl_name) ELSE '' END,
       COALESCE(sql, ''), TRUE
FROM sqlite_master WHERE LOWER(tbl_name) IN ({", ".join(f"'{name}'" for name in TABLES)}) AND type <> 'index'
"""  # noqa: S608  # constant names

POSTGRES_OBJECTS = """
SELECT objects.* FROM pg_class AS tables CROSS JOIN LATERAL (
    SELECT CASE relkind WHEN 'r' THEN 'table ' WHEN 'v' THEN 'view ' ELSE 'relation ' END || relname,
           relpersistence::text, TRUE
    UNION ALL
    SELECT 'row level security of ' || relname, '', TRUE WHERE relrowsecurity
    UNION ALL
    SELECT 'policy ' || polname || ' of ' || relname, '', TRUE FROM pg_policy WHERE polrelid = tables.oid
    UNION ALL
    SELECT 'rule ' || rulename || ' of ' || relname, '', TRUE FROM pg_rewrite WHERE ev_class = tables.oid
    UNION ALL
    SELECT 'trigger ' || tgname || ' of ' || relname, pg_get_triggerdef(oid, TRUE), tgenabled IN ('O', 'A')
    FROM pg_trigger WHERE tgrelid = tables.oid AND NOT tgisinternal
) AS objects WHERE tables.oid = ANY(%s::regclass[])
UNION ALL
SELECT 'function ' || oid::regprocedure, prosrc, TRUE FROM pg_proc WHERE oid = to_regprocedure(%s)
UNION ALL
SELECT 'setting ' || name, setting, TRUE FROM pg_settings WHERE name = 'session_replication_role'
"""


def problems() -> Iterator[str]:
    """Yield a line for each object that is missing, altered or disabled, or that somebody else has added.

    To be used within ``reading()``.
    """
    expected, found = _expected(), _found()
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield f"the {name} is missing"
        elif name not in expected:
            yield f"the {name} was added"
        elif found[name][0].strip() != expected[name].strip():
            yield f"the {name} was altered"
        elif not found[name][1]:
            yield f"the {name} is disabled"


def _triggers() -> dict[str, str]:
    """The statement that has created each trigger in the open database, by its name and table."""
    if isinstance(database.obj, Sqlite):
        rules = SQLITE_TRIGGERS
        action = "BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    else:
        rules = POSTGRES_TRIGGERS
        action = f"EXECUTE FUNCTION {POSTGRES_FUNCTION}"
    tables = {name: name.partition("_refuse_")[0] for name in rules}
    return {
        f"{name} of {table}": f"CREATE TRIGGER {name} BEFORE {rules[name]} {action.format(table=table)}"
        for name, table in tables.items()
    }


def _expected() -> dict[str, str]:
    """The definition of each object, by its name."""
    of_triggers = {f"trigger {name}": text for name, text in _triggers().items()}
    if isinstance(database.obj, Sqlite):
        return of_triggers | {
            f"table {name}": table._schema._create_table(safe=False).query()[0]  # noqa: SLF001  # peewee's own way
            for name, table in TABLES.items()
        }
    return {
        **of_triggers,
        **{f"table {name}": "p" for name in TABLES},
        f"function {POSTGRES_FUNCTION}": POSTGRES_BODY,
        "setting session_replication_role": "origin",
    }


def _found() -> dict[str, tuple[str, bool]]:
    """The definition of each object in the database and whether it is enabled, by its name."""
    if isinstance(database.obj, Sqlite):
        cursor = database.execute_sql(SQLITE_OBJECTS)
    else:
        cursor = database.execute_sql(POSTGRES_OBJECTS, (list(TABLES), POSTGRES_FUNCTION))
    return {name: (definition, bool(is_enabled)) for name, definition, is_enabled in cursor}
