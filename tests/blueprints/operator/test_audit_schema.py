"""flask audit verify and flask check: whatever could drop or change events is reported, a line each."""

from contextlib import contextmanager

import pytest

from models.db.connection import database, writing
from tests.support.markers import postgresql_only, sqlite_only

CALL = "EXECUTE FUNCTION refuse_audit_change()"
DOES_NOTHING = "RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"

SQLITE = [
    (
        ["DROP TRIGGER audit_events_refuse_update"],
        ["the trigger audit_events_refuse_update of audit_events is missing"],
    ),
    (
        ["DROP TRIGGER audit_events_refuse_delete", "DROP TRIGGER audit_events_refuse_replace"],
        [
            "the trigger audit_events_refuse_delete of audit_events is missing",
            "the trigger audit_events_refuse_replace of audit_events is missing",
        ],
    ),
    (
        [
            "DROP TRIGGER audit_events_refuse_delete",
            (
                "CREATE TRIGGER audit_events_refuse_delete BEFORE DELETE ON audit_events WHEN OLD.id > 5"
                " BEGIN SELECT RAISE(ABORT, 'audit_events is append-only'); END"
            ),
        ],
        ["the trigger audit_events_refuse_delete of audit_events was altered"],
    ),
    (
        ["CREATE TRIGGER mine BEFORE INSERT ON AUDIT_EVENTS BEGIN SELECT RAISE(IGNORE); END"],
        ["the trigger mine of audit_events was added"],
    ),
    (
        ["CREATE TRIGGER mine AFTER UPDATE ON log_tiles BEGIN SELECT 1; END"],
        ["the trigger mine of log_tiles was added"],
    ),
    (
        ["CREATE TRIGGER mine AFTER INSERT ON log_bundles BEGIN SELECT 1; END"],
        ["the trigger mine of log_bundles was added"],
    ),
    (
        ["CREATE TRIGGER mine AFTER DELETE ON audit_waiting_events BEGIN SELECT 1; END"],
        ["the trigger mine of audit_waiting_events was added"],
    ),
    (
        ["CREATE TRIGGER mine BEFORE INSERT ON audit_keys BEGIN SELECT RAISE(IGNORE); END"],
        ["the trigger mine of audit_keys was added"],
    ),
    (
        [
            "ALTER TABLE audit_settings RENAME TO kept",
            "CREATE VIEW audit_settings AS SELECT * FROM kept",
            "CREATE TRIGGER mine INSTEAD OF INSERT ON audit_settings BEGIN SELECT 1; END",
        ],
        [
            "the table audit_settings is missing",
            "the trigger mine of audit_settings was added",
            "the view audit_settings was added",
        ],
    ),
    (
        [
            "DROP TABLE audit_waiting_events",
            "CREATE TABLE audit_waiting_events (event_id INTEGER PRIMARY KEY ON CONFLICT IGNORE)",
        ],
        ["the table audit_waiting_events was altered"],
    ),
]

POSTGRESQL = [
    (
        ["DROP TRIGGER audit_events_refuse_change ON audit_events"],
        ["the trigger audit_events_refuse_change of audit_events is missing"],
    ),
    (
        ["DROP FUNCTION refuse_audit_change CASCADE"],
        [
            "the function refuse_audit_change() is missing",
            "the trigger audit_events_refuse_change of audit_events is missing",
        ],
    ),
    (
        ["ALTER TABLE audit_events DISABLE TRIGGER audit_events_refuse_change"],
        ["the trigger audit_events_refuse_change of audit_events is disabled"],
    ),
    (
        ["ALTER TABLE audit_events ENABLE REPLICA TRIGGER audit_events_refuse_change"],
        ["the trigger audit_events_refuse_change of audit_events is disabled"],
    ),
    (["ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_refuse_change"], []),
    (["SET LOCAL session_replication_role = replica"], ["the setting session_replication_role was altered"]),
    (
        [f"CREATE OR REPLACE FUNCTION refuse_audit_change() {DOES_NOTHING}"],
        ["the function refuse_audit_change() was altered"],
    ),
    (
        [
            (
                "CREATE OR REPLACE TRIGGER audit_events_refuse_change BEFORE DELETE OR UPDATE ON audit_events"
                f" {CALL}"
            )
        ],
        ["the trigger audit_events_refuse_change of audit_events was altered"],
    ),
    (
        [
            "CREATE SCHEMA other",
            f"CREATE FUNCTION other.refuse_audit_change() {DOES_NOTHING}",
            (
                "CREATE OR REPLACE TRIGGER audit_events_refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE"
                " ON audit_events EXECUTE FUNCTION other.refuse_audit_change()"
            ),
        ],
        ["the trigger audit_events_refuse_change of audit_events was altered"],
    ),
    (
        [f"CREATE TRIGGER mine BEFORE INSERT ON audit_events {CALL}"],
        ["the trigger mine of audit_events was added"],
    ),
    (
        [f"CREATE TRIGGER mine AFTER UPDATE ON audit_waiting_events {CALL}"],
        ["the trigger mine of audit_waiting_events was added"],
    ),
    (
        [f"CREATE TRIGGER mine AFTER DELETE ON audit_keys {CALL}"],
        ["the trigger mine of audit_keys was added"],
    ),
    (
        [f"CREATE TRIGGER mine AFTER TRUNCATE ON audit_settings {CALL}"],
        ["the trigger mine of audit_settings was added"],
    ),
    (
        [
            (
                "CREATE CONSTRAINT TRIGGER mine AFTER INSERT ON log_checkpoints DEFERRABLE INITIALLY DEFERRED"
                f" FOR EACH ROW {CALL}"
            )
        ],
        ["the trigger mine of log_checkpoints was added"],
    ),
    (
        ["CREATE RULE mine AS ON INSERT TO audit_events DO INSTEAD NOTHING"],
        ["the rule mine of audit_events was added"],
    ),
    (
        [
            "ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY mine ON audit_events USING (what <> 'account.suspended')",
        ],
        ["the policy mine of audit_events was added", "the row level security of audit_events was added"],
    ),
    (
        ["ALTER TABLE audit_keys RENAME TO kept", "CREATE VIEW audit_keys AS SELECT * FROM kept"],
        [
            "the rule _RETURN of audit_keys was added",
            "the table audit_keys is missing",
            "the view audit_keys was added",
        ],
    ),
    (["ALTER TABLE audit_waiting_events SET UNLOGGED"], ["the table audit_waiting_events was altered"]),
]


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


@sqlite_only
@pytest.mark.security("The audit trail")
def test_each_change_of_the_schema_is_reported_on_sqlite(changed, check_reports):
    for statements, lines in SQLITE:
        with changed(statements):
            check_reports(lines)

    check_reports([])


@pytest.mark.security("The audit trail")
@postgresql_only
def test_each_change_of_the_schema_is_reported_on_postgresql(changed, check_reports):
    for statements, lines in POSTGRESQL:
        with changed(statements):
            check_reports(lines)

    check_reports([])
