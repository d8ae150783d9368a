"""flask audit export and verify: changes of the database that did not come from the platform are found."""

import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.harness.servers import ROOT, flask_command
from models.audit_trail import AuditEvent, AuditSeal
from models.db.connection import Sqlite, database, writing
from services.audit_trail import verification
from services.audit_trail.sealing import seal_some
from tests.support.markers import sqlite_only

AT = 1_700_000_000_000


@pytest.fixture
def clock():
    return lambda: AT


def seal_all(app):
    """Seal what the server of this app would seal within a second."""
    keys = app.extensions["services"].audit_keys
    keys.store()
    while seal_some(keys):
        pass


@pytest.fixture
def seal(app):
    return lambda: seal_all(app)


@pytest.fixture
def trail(run, seal):
    """Six sealed events, 1 to 6, of three accounts with a grant each."""
    run("users", "create", "ada", "--count", "3", "--balance", "12.34")
    seal()


@pytest.fixture
def tamper(trail):
    """Runs statements as somebody who owns the tables may, with the triggers turned off meanwhile."""

    def tamper(*statements):
        with writing(), without_triggers():
            for statement in statements:
                database.execute_sql(statement)

    return tamper


@contextmanager
def without_triggers():
    """Drop or disable the triggers of the audit trail for a block."""
    if isinstance(database.obj, Sqlite):
        triggers = list(database.execute_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
        for name, _ in triggers:
            database.execute_sql(f"DROP TRIGGER {name}")
        yield
        for _, sql in triggers:
            database.execute_sql(sql)
    else:
        for table in ("audit_events", "audit_seals"):
            database.execute_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        for table in ("audit_events", "audit_seals"):
            database.execute_sql(f"ALTER TABLE {table} ENABLE TRIGGER USER")


@pytest.fixture
def tampered(tamper):
    """The same for a block, after which everything is as before."""

    @contextmanager
    def tampered(*statements):
        with writing(), database.atomic() as transaction:
            tamper(*statements)
            yield
            transaction.rollback()

    return tampered


@pytest.fixture
def export(app, tmp_path):
    """Exports to a file; its path."""

    def export():
        path = tmp_path / "trail.jsonl"
        path.write_bytes(app.test_cli_runner().invoke(args=["audit", "export"]).stdout_bytes)
        return path

    return export


def test_an_untouched_trail_verifies_without_problems_or_writes(trail, run, queries):
    queries.clear()

    assert run("audit", "verify") == {"sealed": 6, "unsealed": 0, "problems": 0}

    verbs = {sql.split()[0] for sql, _ in queries}
    assert verbs <= {"SELECT", "SET", "BEGIN", "COMMIT"}


@pytest.mark.regulation("2.8 Significant events")
def test_an_event_names_the_operator_and_the_account(trail, run):
    *lines, signature = run("audit", "export")

    created, granted = lines[:2]
    assert (created["what"], created["after"]) == ("account.created", {"username": "ada"})
    assert (granted["what"], granted["after"]) == ("coins.granted", {"amountCents": 1234})
    assert created["who"].startswith("operator:")
    assert created["player"] == granted["player"]
    assert (created["at"], created["address"]) == (AT, None)
    assert signature["events"] == len(lines) == 6


ALTERED = [
    *("at_ms = at_ms + 1", "who = 'system'", "what = 'account.deleted'", "player = NULL", "address = '::1'"),
    *("before = '{}'", "after = NULL", "after = ' ' || after", "mac = 'x'", "key_id = 'x'"),
]
DELETE = "DELETE FROM audit_events WHERE id = 3"
DELETE_SEAL = "DELETE FROM audit_seals WHERE event_id = 3"
INSERT = """
INSERT INTO audit_events (id, at_ms, who, what, key_id, mac)
SELECT 99, at_ms, who, what, key_id, mac FROM audit_events WHERE id = 3
"""
QUEUE = "INSERT INTO audit_unsealed (event_id) VALUES (99)"
SWAP = """
UPDATE audit_seals SET event_id = CASE event_id WHEN 2 THEN -3 ELSE -2 END WHERE event_id IN (2, 3)
"""
CHANGES = [
    *(
        ([f"UPDATE audit_events SET {change} WHERE id = 3"], "audit event 3 was altered")  # noqa: S608
        for change in ALTERED
    ),
    (["UPDATE audit_seals SET seal = 'x' WHERE event_id = 3"], "the seal of audit event 3 was altered"),
    (["UPDATE audit_events SET id = 7 WHERE id = 3"], "audit event 3 is missing"),
    ([DELETE], "audit event 3 is missing"),
    ([DELETE, DELETE_SEAL], "audit event 3 is missing"),
    ([DELETE_SEAL], "the seal of audit event 3 is missing"),
    (
        [
            "DELETE FROM audit_events WHERE id = 1",
            "UPDATE audit_seals SET previous_seal = 'x' WHERE number = 1",
        ],
        "the seal of audit event 1 was altered",
    ),
    ([INSERT], "audit event 99 was inserted"),
    ([SWAP, "UPDATE audit_seals SET event_id = -event_id WHERE event_id < 0"], "audit event 3"),
]


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_a_changed_row_is_reported(tampered, fails, run):
    for statements, problem in CHANGES:
        with tampered(*statements):
            assert problem in fails("audit", "verify"), statements

    assert run("audit", "verify")["problems"] == 0


TEXTS = [
    *((AuditEvent, name) for name in ("who", "what", "player", "address", "before", "after")),
    *((AuditEvent, name) for name in ("key_id", "mac")),
    *((AuditSeal, name) for name in ("key_id", "seal", "previous_seal")),
]


@sqlite_only
def test_bytes_in_a_column_of_texts_are_reported_and_exported(tampered, fails, run):
    for table, column in TEXTS:
        key = "id" if table is AuditEvent else "event_id"
        for value in ("x'ff'", "CAST(x'ff' AS TEXT)"):
            statement = f"UPDATE {table._meta.table_name} SET {column} = {value} WHERE {key} = 3"  # noqa: S608
            with tampered(statement):
                lines = fails("audit", "verify").splitlines()
                run("audit", "export")

                assert len(lines) == 2, statement
                assert "audit event 3 was altered" in lines[0], statement


@pytest.mark.security("The audit trail")
def test_an_inserted_event_is_reported_although_the_server_sealed_it(tamper, seal, fails):
    tamper(INSERT, QUEUE)
    seal()

    assert "audit event 99 was inserted" in fails("audit", "verify")


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_removed_last_events_are_found_with_an_export(tampered, export, run, fails):
    exported = str(export())

    with tampered("DELETE FROM audit_events WHERE id >= 5", "DELETE FROM audit_seals WHERE event_id >= 5"):
        assert run("audit", "verify") == {"sealed": 4, "unsealed": 0, "problems": 0}
        found = fails("audit", "verify", "--from", exported)

    assert "audit event 5 is missing" in found
    assert "audit event 6 is missing" in found
    with tampered("UPDATE audit_events SET who = 'system' WHERE id = 3"):
        # Once, though it differs from the export too.
        assert fails("audit", "verify", "--from", exported).count("audit event 3 was altered") == 1


def test_events_after_a_removed_one_are_sealed(tamper, run, seal, fails):
    tamper("DELETE FROM audit_events WHERE id = 6")
    run("users", "create", "later")
    seal()

    missing, total = fails("audit", "verify").splitlines()
    assert (missing, total) == ("audit event 6 is missing", "Error: 1 problems in the audit trail")


def test_an_export_includes_events_that_are_not_sealed_yet(trail, export, run, seal):
    run("users", "create", "later")
    exported = str(export())
    run("users", "create", "after-the-export")
    seal()

    found = run("audit", "verify", "--from", exported)

    assert found == {"sealed": 8, "unsealed": 0, "problems": 0, "exported": 7}


def edited(line, **changes):
    return json.dumps(json.loads(line) | changes, separators=(",", ":"), sort_keys=True).encode() + b"\n"


EDITED = [
    (lambda lines: [*lines[:2], edited(lines[2], who="system"), *lines[3:]], "audit event 3 was altered"),
    (lambda lines: [*lines[:2], *lines[3:]], "audit event 3 is missing"),
    (lambda lines: [*lines[:4], edited(lines[4], seal=None), *lines[5:]], "signature does not match"),
    (lambda lines: [*lines[:-2], lines[-1]], "the export was altered: its signature does not match"),
    (lambda lines: [*lines, lines[0]], "the export was altered: its signature does not match"),
    (lambda lines: [*lines[:-1], edited(lines[-1], events=7)], "its signature does not match"),
    (lambda lines: lines[:-1], "the export has no signature: it is not complete"),
    (lambda lines: [lines[0][:-9] + b"\n", *lines[1:]], "line 1 of the export is not an event"),
    (lambda lines: [b'["signature"]\n', *lines], "line 1 of the export is not an event"),
    (lambda lines: [edited(lines[0], id=0.5), *lines[1:]], "line 1 of the export is not an event"),
    (lambda lines: [edited(lines[0], seal={}), *lines[1:]], "line 1 of the export is not an event"),
    (lambda lines: [edited(lines[0], keyId=[]), *lines[1:]], "line 1 of the export is not an event"),
    (lambda _: [b'{"signature":[],"keyId":[1.5]}\n'], "no SECRET_KEY decrypts the audit key"),
    (lambda lines: [edited(lines[0], who="\ud800"), *lines[1:]], "audit event 1 was altered"),
    (lambda lines: [*lines[:-1], edited(lines[-1], events="\ud800")], "its signature does not match"),
]


@sqlite_only
@pytest.mark.process
def test_an_export_to_a_full_disk_fails_in_one_line(trail, env):
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [*flask_command(), "audit", "export"],
            cwd=ROOT,
            env=os.environ | env,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )

    assert (ended.returncode, ended.stderr) == (1, b"Error: [Errno 28] No space left on device\n")


@pytest.mark.security("The audit trail")
@sqlite_only
def test_a_changed_export_is_reported(trail, export, fails):
    path = export()
    lines = path.read_bytes().splitlines(keepends=True)

    for number, (edit, problem) in enumerate(EDITED):
        path.write_bytes(b"".join(edit(lines)))

        assert problem in fails("audit", "verify", "--from", str(path)), number


@sqlite_only
def test_an_event_without_a_seal_is_reported_after_a_minute(make_app, run):
    run("users", "create", "ada")
    assert run("audit", "verify")["unsealed"] == 1

    later = make_app(clock=lambda: AT + 60_001).test_cli_runner().invoke(args=["audit", "verify"])

    assert later.exit_code == 1
    assert "audit event 1 has no seal, although it is older than a minute" in later.stderr


def test_an_event_removed_before_its_seal_is_reported(tamper, run, fails):
    run("users", "create", "later")
    tamper("DELETE FROM audit_events WHERE id = 7")
    run("users", "create", "still-recorded")

    assert "audit event 7 is missing" in fails("audit", "verify")


OLD = "the secret that was used first and is long enough"
NEW = "the secret that comes after it and is long enough"


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
@sqlite_only
def test_old_seals_can_be_verified_after_the_secret_has_changed(make_app):
    old = make_app(SECRET_KEY=OLD)
    old.test_cli_runner().invoke(args=["users", "create", "ada"])
    seal_all(old)
    both = make_app(SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=OLD).test_cli_runner()
    rotated = both.invoke(args=["secrets", "rotate"])
    assert json.loads(rotated.stdout)["auditKeys"] == 1

    verified = make_app(SECRET_KEY=NEW).test_cli_runner().invoke(args=["audit", "verify"])

    assert verified.exit_code == 0, verified.output


@sqlite_only
def test_a_lost_secret_is_reported_and_hides_no_other_problem(tamper, make_app, monkeypatch):
    new = make_app(SECRET_KEY=NEW)
    new.test_cli_runner().invoke(args=["users", "create", "bob"])
    seal_all(new)
    tamper("UPDATE audit_events SET who = 'system' WHERE id = 7")
    monkeypatch.setattr(verification, "MAX_PROBLEMS", 3)

    verified = new.test_cli_runner().invoke(args=["audit", "verify"])

    assert json.loads(verified.stdout) == {"sealed": 7, "unsealed": 0, "problems": 2}
    assert "no SECRET_KEY decrypts the audit key" in verified.stderr
    assert "audit event 7 was altered" in verified.stderr
