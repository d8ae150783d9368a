"""flask audit verify and flask check: whatever could drop or change events is reported, a line each."""

from contextlib import contextmanager

import pytest

from models.db.connection import database, writing

CALL = "EXECUTE FUNCTION refuse_audit_change()"
DOES_NOTHING = "RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
ABORT = "BEGIN SELECT RAISE(ABORT, 'audit_events is append-only'); END"
DEFERRED = "DEFERRABLE INITIALLY DEFERRED"
REFUSE_DELETE = "audit_events_refuse_delete"
REFUSE_CHANGE = "audit_events_refuse_change"
REFUSE_UPDATE = "audit_events_refuse_update"
REPLACE_TRIGGER = f"CREATE OR REPLACE TRIGGER {REFUSE_CHANGE} BEFORE DELETE"
RENUMBER = "audit_events_refuse_renumber"


def trigger(name, what, table="audit_events"):
    return f"the trigger {name} of {table} {what}"


def added(events, action):
    """Triggers that a stranger adds, with the lines about them. ``events`` has one for each table."""
    return {
        (f"CREATE TRIGGER mine {event} ON {table} {action}",): [trigger("mine", "was added", table)]
        for table, event in events.items()
    }


SQLITE = {
    (f"DROP TRIGGER {RENUMBER}",): [trigger(RENUMBER, "is missing")],
    ("DROP TRIGGER audit_events_refuse_update",): [trigger("audit_events_refuse_update", "is missing")],
    (f"DROP TRIGGER {REFUSE_DELETE}", "DROP TRIGGER audit_events_refuse_replace"): [
        trigger(REFUSE_DELETE, "is missing"),
        trigger("audit_events_refuse_replace", "is missing"),
    ],
    (
        f"DROP TRIGGER {REFUSE_DELETE}",
        f"CREATE TRIGGER {REFUSE_DELETE} BEFORE DELETE ON audit_events WHEN OLD.id > 5 {ABORT}",
    ): [trigger(REFUSE_DELETE, "was altered")],
    ("CREATE TRIGGER mine BEFORE INSERT ON AUDIT_EVENTS BEGIN SELECT RAISE(IGNORE); END",): [
        trigger("mine", "was added")
    ],
    **added(
        {
            "log_tiles": "AFTER UPDATE",
            "log_bundles": "AFTER INSERT",
            "log_entries": "BEFORE INSERT",
            "audit_anchors": "AFTER INSERT",
        },
        "BEGIN SELECT 1; END",
    ),
    (
        "ALTER TABLE audit_settings RENAME TO kept",
        "CREATE VIEW audit_settings AS SELECT * FROM kept",
        "CREATE TRIGGER mine INSTEAD OF INSERT ON audit_settings BEGIN SELECT 1; END",
    ): [
        "the table audit_settings is missing",
        trigger("mine", "was added", "audit_settings"),
        "the view audit_settings was added",
    ],
    (
        "DROP TABLE audit_settings",
        "CREATE TABLE audit_settings (name TEXT PRIMARY KEY ON CONFLICT IGNORE, value TEXT)",
    ): ["the table audit_settings was altered"],
}

POSTGRESQL = {
    (f"DROP TRIGGER {REFUSE_CHANGE} ON audit_events",): [trigger(REFUSE_CHANGE, "is missing")],
    (f"ALTER TABLE audit_events DISABLE TRIGGER {RENUMBER}",): [trigger(RENUMBER, "is disabled")],
    ("DROP FUNCTION refuse_audit_change CASCADE",): [
        "the function refuse_audit_change() is missing",
        trigger("audit_anchors_refuse_change", "is missing", "audit_anchors"),
        trigger(REFUSE_CHANGE, "is missing"),
        trigger(RENUMBER, "is missing"),
        trigger(REFUSE_UPDATE, "is missing"),
    ],
    (f"ALTER TABLE audit_events DISABLE TRIGGER {REFUSE_CHANGE}",): [trigger(REFUSE_CHANGE, "is disabled")],
    (f"ALTER TABLE audit_events ENABLE REPLICA TRIGGER {REFUSE_CHANGE}",): [
        trigger(REFUSE_CHANGE, "is disabled")
    ],
    (f"ALTER TABLE audit_events ENABLE ALWAYS TRIGGER {REFUSE_CHANGE}",): [],
    ("SET LOCAL session_replication_role = replica",): ["the setting session_replication_role was altered"],
    (f"CREATE OR REPLACE FUNCTION refuse_audit_change() {DOES_NOTHING}",): [
        "the function refuse_audit_change() was altered"
    ],
    (f"{REPLACE_TRIGGER} ON audit_events {CALL}",): [trigger(REFUSE_CHANGE, "was altered")],
    (
        "CREATE SCHEMA other",
        f"CREATE FUNCTION other.refuse_audit_change() {DOES_NOTHING}",
        f"{REPLACE_TRIGGER} OR TRUNCATE ON audit_events EXECUTE FUNCTION other.refuse_audit_change()",
    ): [trigger(REFUSE_CHANGE, "was altered")],
    **added(
        {
            "audit_events": "BEFORE INSERT",
            "audit_anchors": "AFTER UPDATE",
            "log_entries": "AFTER DELETE",
            "audit_settings": "AFTER TRUNCATE",
        },
        CALL,
    ),
    (f"CREATE CONSTRAINT TRIGGER mine AFTER INSERT ON log_checkpoints {DEFERRED} FOR EACH ROW {CALL}",): [
        trigger("mine", "was added", "log_checkpoints")
    ],
    ("CREATE RULE mine AS ON INSERT TO audit_events DO INSTEAD NOTHING",): [
        "the rule mine of audit_events was added"
    ],
    (
        "ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY mine ON audit_events USING (what <> 'account.suspended')",
    ): ["the policy mine of audit_events was added", "the row level security of audit_events was added"],
    ("ALTER TABLE audit_settings RENAME TO kept", "CREATE VIEW audit_settings AS SELECT * FROM kept"): [
        "the rule _RETURN of audit_settings was added",
        "the table audit_settings is missing",
        "the view audit_settings was added",
    ],
    ("ALTER TABLE audit_settings SET UNLOGGED",): ["the table audit_settings was altered"],
}


@pytest.fixture
def changed(app):
    """Changes the schema for a block."""

    @contextmanager
    def changed(statements):
        with writing(), database.atomic() as transaction:
            for statement in statements:
                database.execute_sql(statement)
            yield
            transaction.rollback()

    return changed


@pytest.fixture
def check_reports(app):
    """Asserts that both commands report exactly these lines."""

    def check_reports(lines):
        for command, prefix in ((["audit", "verify"], ""), (["check"], "audit trail: ")):
            result = app.test_cli_runner().invoke(args=command)
            reported = [line for line in result.stderr.splitlines() if not line.startswith("Error: ")]
            assert (result.exit_code, reported) == (int(bool(lines)), [prefix + line for line in lines])

    return check_reports


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize(
    ("database_kind", "changes"),
    [("sqlite", SQLITE), ("postgresql", POSTGRESQL)],
    ids=["sqlite", "postgresql"],
)
@pytest.mark.both_databases("models/audit_schema.py")
def test_each_change_of_the_schema_is_reported(changed, check_reports, changes):
    for statements, lines in changes.items():
        with changed(statements):
            check_reports(lines)

    check_reports([])
