"""The triggers that refuse to update, replace or delete events of the audit trail."""

from models.db.connection import database
from models.db.sqlite import Sqlite

TABLE = "audit_events"

SQLITE_TRIGGER = """
CREATE TRIGGER {name} BEFORE {event} ON audit_events {condition}
BEGIN SELECT RAISE(ABORT, 'audit_events is append-only'); END
"""
# INSERT OR REPLACE deletes rows without calling the triggers of a deletion.
SQLITE_TRIGGERS = {
    "audit_events_refuse_update": ("UPDATE", ""),
    "audit_events_refuse_delete": ("DELETE", ""),
    "audit_events_refuse_replace": (
        "INSERT",
        "WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id)",
    ),
}

POSTGRES_FUNCTION = "refuse_audit_change()"
POSTGRES_BODY = """
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
"""

# As PostgreSQL prints it.
POSTGRES_TRIGGER = (
    "CREATE TRIGGER audit_events_refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_events"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
)


def triggers() -> dict[str, str]:
    """The statement that has created each trigger in the open database, by the trigger's name."""
    if not isinstance(database.obj, Sqlite):
        return {"audit_events_refuse_change": POSTGRES_TRIGGER}
    return {
        name: SQLITE_TRIGGER.format(name=name, event=event, condition=condition)
        for name, (event, condition) in SQLITE_TRIGGERS.items()
    }
