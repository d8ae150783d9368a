"""Finds what differs between the audit trail's tables and triggers and those that this version creates.

A trigger, rule or policy that somebody else has added can drop an event while it is written, and without
the triggers of ``models/audit_triggers.py`` rows can be changed.
"""

from collections.abc import Iterator
from typing import Any

from models.audit_trail import AuditEvent, AuditKey, KnownSetting, WaitingEvent
from models.audit_triggers import POSTGRES_BODY, POSTGRES_FUNCTION, TABLE, triggers
from models.db.connection import database
from models.db.sqlite import Sqlite
from models.log import Log, LogBundle, LogCheckpoint, LogEntry, LogTile

TABLES: dict[str, Any] = {
    table._meta.table_name: table  # noqa: SLF001  # peewee's documented place of a table's name
    for table in (
        *(AuditEvent, WaitingEvent, AuditKey, KnownSetting),
        *(Log, LogTile, LogBundle, LogEntry, LogCheckpoint),
    )
}

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


def _expected() -> dict[str, str]:
    """The definition of each object, by its name."""
    of_triggers = {f"trigger {name} of {TABLE}": text for name, text in triggers().items()}
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
