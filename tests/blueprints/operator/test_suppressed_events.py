"""An action whose audit event the database drops or changes fails, and changes nothing."""

import pytest

from models.db.connection import database, writing
from models.db.sqlite import Sqlite
from services.log.bundles import NotStored
from tests.harness.spins import Clock


@pytest.fixture
def clock():
    return Clock(1_700_000_000_000)


FAILURE = "Error: the database did not store the audit trail as it was written; see flask audit verify"

COLUMNS = "id, at_ms, who, what, player, address, before, after, salt, digest, number, erased_by"

SQLITE = {
    "ignored": [
        (
            "CREATE TRIGGER mine BEFORE INSERT ON audit_events WHEN NEW.what = 'account.suspended'"
            " BEGIN SELECT RAISE(IGNORE); END"
        )
    ],
    "changed": [
        "DROP TRIGGER audit_events_refuse_update",
        "CREATE TRIGGER mine AFTER INSERT ON audit_events BEGIN UPDATE audit_events SET who = 'x'; END",
    ],
    "deleted": [
        "DROP TRIGGER audit_events_refuse_delete",
        "CREATE TRIGGER mine AFTER INSERT ON audit_events BEGIN DELETE FROM audit_events; END",
    ],
    "written to a view": [
        "ALTER TABLE audit_events RENAME TO kept",
        "CREATE VIEW audit_events AS SELECT * FROM kept",
        "CREATE TRIGGER mine INSTEAD OF INSERT ON audit_events BEGIN SELECT 1; END",
    ],
    "in conflict": [
        "DROP TABLE audit_events",
        f"CREATE TABLE audit_events ({COLUMNS.replace(' address', ' address NOT NULL ON CONFLICT IGNORE')})",
    ],
}


def with_trigger(when, body, table="audit_events", verb="INSERT"):
    """Statements that create a trigger for each row with a function of this body."""
    return [
        f"CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {body} END$$",
        f"CREATE TRIGGER mine {when} {verb} ON {table} FOR EACH ROW EXECUTE FUNCTION mine()",
    ]


WITHOUT_REFUSAL = "ALTER TABLE audit_events DISABLE TRIGGER audit_events_refuse_change"
POSTGRESQL = {
    "ignored": with_trigger(
        "BEFORE", "IF NEW.what = 'account.suspended' THEN RETURN NULL; END IF; RETURN NEW;"
    ),
    "changed": with_trigger("BEFORE", "NEW.who := 'x'; RETURN NEW;"),
    "deleted": [WITHOUT_REFUSAL, *with_trigger("AFTER", "DELETE FROM audit_events; RETURN NULL;")],
    "written to a view": [
        "ALTER TABLE audit_events RENAME TO kept",
        "CREATE VIEW audit_events AS SELECT * FROM kept WHERE what <> 'account.suspended'",
    ],
    "replaced by a rule": ["CREATE RULE mine AS ON INSERT TO audit_events DO INSTEAD NOTHING"],
    "deleted by a rule": [
        WITHOUT_REFUSAL,
        "CREATE RULE mine AS ON INSERT TO audit_events DO ALSO DELETE FROM audit_events",
    ],
}


def change(*statements):
    with writing():
        for statement in statements:
            database.execute_sql(statement)


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize(
    ("database_kind", "suppression"),
    [("sqlite", each) for each in SQLITE] + [("postgresql", each) for each in POSTGRESQL],
)
def test_a_command_fails_whose_event_is_not_stored_and_changes_nothing(
    fails, client, player, database_kind, suppression
):
    change(*(SQLITE if database_kind == "sqlite" else POSTGRESQL)[suppression])

    assert fails("users", "suspend", player.platform_id) == FAILURE

    assert client.get("/auth/me", headers=player.headers).status_code == 200


def suppressing(table, verb="INSERT"):
    """Statements that make the database ignore new rows of this table."""
    if isinstance(database.obj, Sqlite):
        return [f"CREATE TRIGGER mine BEFORE {verb} ON {table} BEGIN SELECT RAISE(IGNORE); END"]
    return with_trigger("BEFORE", "RETURN NULL;", table, verb)


@pytest.mark.both_databases("models/audit_trail.py")
@pytest.mark.security("The audit trail")
def test_a_request_fails_whose_event_is_not_stored(app, client, player, log_text):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    change(*suppressing("audit_events"))

    answer = client.put("/profile/client-seed", json={"clientSeed": "another"}, headers=player.headers)

    assert (answer.status_code, answer.json) == (500, {"error": "Something went wrong"})
    assert client.get("/auth/me", headers=player.headers).json["clientSeed"] != "another"
    assert "AuditNotWritten" in log_text()


@pytest.mark.both_databases("models/log.py")
@pytest.mark.security("The audit trail")
@pytest.mark.parametrize("table", ["log_tiles", "log_bundles"])
def test_events_whose_anchor_is_not_stored_still_wait_for_one(app, run, fails, clock, table):
    log = app.extensions["services"].log
    log.watch()
    run("users", "create", "ada")
    clock.advance(minutes=1)
    change(*suppressing(table))

    with pytest.raises(NotStored):
        log.append_waiting()

    on = "" if isinstance(database.obj, Sqlite) else f" ON {table}"
    assert f"the trigger mine of {table} was added" in fails("audit", "verify")
    change(f"DROP TRIGGER mine{on}")
    log.append_waiting()
    assert run("audit", "verify")["events"] == 1


@pytest.mark.both_databases("models/audit_trail.py")
@pytest.mark.security("The audit trail")
def test_events_that_get_no_number_do_not_stop_the_public_log(app, run, fails, clock):
    log = app.extensions["services"].log
    run("users", "create", "ada")
    clock.advance(minutes=1)
    change(*suppressing("audit_events", "UPDATE"))

    log.append_waiting()

    assert "the trigger mine of audit_events was added" in fails("audit", "verify")
    assert log.checkpoint().size == 1
