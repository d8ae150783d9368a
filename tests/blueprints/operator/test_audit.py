"""flask audit export and verify: changes of the database that did not come from the platform are found."""

import json
import os
import struct
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from prometheus_client import generate_latest

from models.db.connection import database, writing
from models.db.sqlite import Sqlite
from models.log import AUDIT, Log, LogBundle, LogCheckpoint, LogTile
from services.audit_trail import queries, verification
from services.audit_trail.canonical import event_entry
from services.log.checkpoints import Checkpoint
from services.log.keys import LogKeys
from services.log.merkle import leaf_hash, root_of
from services.shared.errors import Unavailable
from tests.harness.servers import ROOT, flask_command
from tests.support.lost_log import restore_log, stored_log

AT = 1_700_000_000_000


@pytest.fixture
def clock():
    return lambda: AT


def log_all(app):
    """Append what the server of this app would append within a second."""
    services = app.extensions["services"]
    services.audit_keys.store()
    services.audit_log.watch()
    services.audit_log.append_waiting()


@pytest.fixture
def log(app):
    return lambda: log_all(app)


@pytest.fixture
def trail(run, log):
    """Six logged events, 1 to 6, of three accounts with a grant each."""
    run("users", "create", "ada", "--count", "3", "--balance", "12.34")
    log()


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
        database.execute_sql("ALTER TABLE audit_events DISABLE TRIGGER USER")
        yield
        database.execute_sql("ALTER TABLE audit_events ENABLE TRIGGER USER")


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


@pytest.mark.both_databases("services/audit_trail")
def test_an_untouched_trail_verifies_without_problems_or_writes(trail, run, queries):
    queries.clear()

    assert run("audit", "verify") == {"logged": 6, "waiting": 0, "problems": 0}

    verbs = {sql.split()[0] for sql, _ in queries}
    assert verbs <= {"SELECT", "SET", "BEGIN", "COMMIT"}


@pytest.mark.regulation("2.8 Significant events")
def test_an_event_names_the_operator_and_the_account(trail, run):
    *lines, last = run("audit", "export")

    created, granted = lines[:2]
    assert (created["what"], created["after"]) == ("account.created", {"username": "ada"})
    assert (granted["what"], granted["after"]) == ("coins.granted", {"amountCents": 1234})
    assert created["who"].startswith("operator:")
    assert created["player"] == granted["player"]
    assert (created["at"], created["address"]) == (AT, None)
    assert [line["index"] for line in lines] == list(range(6))
    assert last["checkpoint"].startswith("127.0.0.1:5000/log/audit\n6\n")


ALTERED = [
    *("at_ms = at_ms + 1", "who = 'system'", "what = 'account.deleted'", "player = NULL", "address = '::1'"),
    *("before = '{}'", "after = NULL", "after = ' ' || after", "mac = 'x'", "key_id = 'x'"),
]
DELETE = "DELETE FROM audit_events WHERE id = 3"
INSERT = """
INSERT INTO audit_events (id, at_ms, who, what, key_id, mac)
SELECT 99, at_ms, who, what, key_id, mac FROM audit_events WHERE id = 3
"""
QUEUE = "INSERT INTO audit_waiting_events (event_id) VALUES (99)"
SET_BACK = (
    "UPDATE logs SET size = 4 WHERE name = 'audit'",
    "UPDATE log_bundles SET entry_references = SUBSTR(entry_references, 1, 32) WHERE log_id = 'audit'",
    "UPDATE log_tiles SET hashes = SUBSTR(hashes, 1, 128) WHERE log_id = 'audit'",
    "DELETE FROM log_checkpoints WHERE log_id = 'audit' AND size > 4",
)
LOG_ROWS = [
    *(
        f"DELETE FROM {table} WHERE log_id = 'audit'"  # noqa: S608
        for table in ("log_tiles", "log_bundles", "log_checkpoints", "log_entries")
    ),
    "DELETE FROM logs WHERE name = 'audit'",
]
CHANGES = [
    *(
        ([f"UPDATE audit_events SET {change} WHERE id = 3"], "audit event 3 was altered")  # noqa: S608
        for change in ALTERED
    ),
    (["UPDATE audit_events SET id = 7 WHERE id = 3"], "audit event 3 is missing"),
    ([DELETE], "audit event 3 is missing"),
    ([INSERT], "audit event 99 was inserted"),
    ([INSERT, QUEUE], "audit event 99 was inserted"),
    (["INSERT INTO audit_waiting_events (event_id) VALUES (3)"], "audit event 3 is in the log again"),
    (["DELETE FROM log_bundles WHERE log_id = 'audit'"], "entry 2 of the audit log is missing"),
    (["DELETE FROM audit_keys"], "the audit key "),
    (LOG_ROWS, "the table logs has no row 'audit'"),
    (["DELETE FROM log_tiles WHERE log_id = 'audit'"], "entry 2 of the audit log is missing"),
    (["UPDATE logs SET checkpoint = 'x' WHERE name = 'audit'"], "the last checkpoint: "),
    (
        ["UPDATE log_bundles SET entry_references = SUBSTR(entry_references, 1, 17) WHERE log_id = 'audit'"],
        "entry 2 of the audit log is missing",
    ),
    (["UPDATE logs SET size = 5 WHERE name = 'audit'"], "audit event 6 is not in the log"),
]


@pytest.mark.both_databases("models/audit_triggers.py")
@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_a_changed_row_is_reported(tampered, fails, run):
    for statements, problem in CHANGES:
        with tampered(*statements):
            assert problem in fails("audit", "verify"), statements

    assert run("audit", "verify")["problems"] == 0


TEXTS = ("who", "what", "player", "address", "before", "after", "key_id", "mac")


@pytest.mark.both_databases("models/audit_triggers.py")
def test_bytes_in_a_column_of_texts_are_reported_and_exported(tampered, fails, run):
    for column in TEXTS:
        for value in ("x'ff'", "CAST(x'ff' AS TEXT)"):
            statement = f"UPDATE audit_events SET {column} = {value} WHERE id = 3"  # noqa: S608
            with tampered(statement):
                lines = fails("audit", "verify").splitlines()
                run("audit", "export")

                assert len(lines) == 2, statement
                assert "audit event 3 was altered" in lines[0], statement


@pytest.mark.security("The audit trail")
def test_an_inserted_event_is_refused_and_holds_up_no_other(app, tamper, log, run, fails, log_text):
    tamper(INSERT, QUEUE)
    run("users", "create", "later")
    log()
    log()

    lines = fails("audit", "verify").splitlines()
    assert lines == ["audit event 99 was inserted", "Error: 1 problems in the audit trail"]
    assert log_text().count("audit event refused: 99") == 1
    assert app.extensions["services"].audit_log.events.refused == {99}
    *_, later, _ = exported = run("audit", "export")
    assert len(exported) == 6 + 1 + 1
    assert later["after"] == {"username": "later"}


@pytest.mark.both_databases("models/audit_triggers.py")
@pytest.mark.security("The audit trail")
def test_a_running_server_reports_an_event_that_does_not_wait(app, tampered, log_text):
    audit_log = app.extensions["services"].audit_log

    with tampered(INSERT):
        audit_log.count_unlogged()
        audit_log.count_unlogged()
        metrics = generate_latest(app.extensions["metrics"].registry).decode()

    assert log_text().count("audit event refused: 1 are neither logged nor waiting") == 1
    assert "audit_events_refused 1.0" in metrics


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        (["DELETE FROM audit_events"], "audit trail: 6 events are missing; run flask audit verify"),
        (
            [INSERT],
            "audit trail: 1 events are neither in its log nor wait for that; run flask audit verify",
        ),
        (LOG_ROWS, "the table logs has no row 'audit'"),
    ],
    ids=["removed", "inserted", "without a log"],
)
def test_flask_check_counts_the_events(tampered, fails, statements, problem):
    with tampered(*statements):
        assert problem in fails("check").splitlines()


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_removed_last_events_are_found_by_the_checkpoint_on_disk_and_named_by_an_export(
    tampered, export, run, fails
):
    exported = str(export())

    with tampered("DELETE FROM audit_events WHERE id >= 5", *SET_BACK):
        without, found = fails("audit", "verify"), fails("audit", "verify", "--from", exported)

    assert "the checkpoint of 127.0.0.1:5000/log/audit on disk has 6 entries, the log only 4" in without
    assert "audit event 5 is missing" not in without
    assert "audit event 5 is missing" in found
    assert "audit event 6 is missing" in found
    with tampered("UPDATE audit_events SET who = 'system' WHERE id = 3"):
        # Once, though it differs from the export too.
        assert fails("audit", "verify", "--from", exported).count("audit event 3 was altered") == 1


ATTACKS = {
    "change": (["UPDATE audit_events SET who = 'system' WHERE id = 3"], [1, 2, 3, 4, 5, 6]),
    "add": ([INSERT], [1, 2, 3, 4, 5, 6, 99]),
    "drop": ([DELETE], [1, 2, 4, 5, 6]),
    "drop the last": (["DELETE FROM audit_events WHERE id = 6"], [1, 2, 3, 4, 5]),
    "reorder": ([], [1, 3, 2, 4, 5, 6]),
}


ON_DISK = "the checkpoint of 127.0.0.1:5000/log/audit on disk has "


def rewrite_log(ids):
    """Make the log that of these events, with all but the signature of a key of the server."""
    with writing():
        events = queries.by_ids(ids)
        leaves = [leaf_hash(event_entry(events[each])) for each in ids]
        checkpoint = Checkpoint("127.0.0.1:5000/log/audit", len(ids), root_of(leaves))
        LogTile.update(hashes=b"".join(leaves)).where(LogTile.log == AUDIT).execute()
        packed = struct.pack(f">{len(ids)}q", *ids)
        LogBundle.update(references=packed, highest_id=max(ids)).where(LogBundle.log == AUDIT).execute()
        note = LogKeys([b"?" * 32]).sign_checkpoint(checkpoint)
        Log.update(size=len(ids), checkpoint=note).where(Log.name == AUDIT).execute()
        row = LogCheckpoint
        row.insert(log=AUDIT, size=len(ids), root=checkpoint.root.hex(), signed_at_ms=AT).on_conflict(
            conflict_target=[row.log, row.size], preserve=[row.root]
        ).execute()


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize("attack", ATTACKS)
def test_who_owns_the_database_but_no_key_cannot_rewrite_the_trail(tamper, run, log, fails, attack):
    statements, ids = ATTACKS[attack]
    # What is only added begins with the tree on disk.
    problem = "audit event 99 was altered" if attack == "add" else ON_DISK
    tamper(*statements)
    rewrite_log(ids)

    found = fails("audit", "verify")
    assert problem in found
    assert "the last checkpoint: no known key has signed the note" in found

    run("users", "create", "later")
    for _ in range(2):
        with suppress(Unavailable):
            log()

    # The server signs it under another name only, and keeps the last checkpoint of the log that ended.
    assert problem in fails("audit", "verify")


@pytest.mark.security("The audit trail")
def test_an_altered_tree_is_not_signed_with_the_next_event(tamper, run, log, fails):
    """Its checkpoint and the row about it are as they were."""
    tamper("UPDATE audit_events SET who = 'system' WHERE id = 3")
    with writing():
        row = queries.by_ids([3])[3]
        tile = bytearray(LogTile.get(LogTile.log == AUDIT).hashes)
        tile[64:96] = leaf_hash(event_entry(row))
        LogTile.update(hashes=bytes(tile)).where(LogTile.log == AUDIT).execute()
    run("users", "create", "later")
    log()

    assert ON_DISK in fails("audit", "verify")


@pytest.fixture
def restored(trail, run, log, tamper):
    """A database as a restore leaves it, without its seventh event."""
    backup = stored_log()
    run("users", "create", "lost")
    log()
    tamper("DELETE FROM audit_events WHERE id = 7")
    restore_log(backup)


def test_a_log_without_its_end_goes_on_under_another_name(restored, run, log, fails, log_text):
    run("users", "create", "later")
    log()

    *_, fork, later, last = run("audit", "export")
    assert (fork["forkOf"], fork["kept"], fork["size"]) == ("127.0.0.1:5000/log/audit", 6, 7)
    assert later["after"] == {"username": "later"}
    assert last["checkpoint"].startswith("127.0.0.1:5000/log/audit-")
    assert "the log goes on as 127.0.0.1:5000/log/audit-" in log_text()
    assert fails("audit", "verify").splitlines() == [
        "the checkpoint of 127.0.0.1:5000/log/audit on disk has another root than the first 7 entries",
        "Error: 1 problems in the audit trail",
    ]


def test_an_export_includes_events_that_were_not_logged_yet(trail, export, run, log):
    run("users", "create", "later")
    exported = str(export())
    run("users", "create", "after-the-export")
    log()

    found = run("audit", "verify", "--from", exported)

    assert found == {"logged": 8, "waiting": 0, "problems": 0, "exported": 7}


def edited(line, **changes):
    return json.dumps(json.loads(line) | changes, separators=(",", ":"), sort_keys=True).encode() + b"\n"


ALTERED_EXPORT = "the export was altered: its checkpoint does not match"
EDITED = [
    (lambda lines: [*lines[:2], edited(lines[2], who="system"), *lines[3:]], ALTERED_EXPORT),
    (lambda lines: [edited(lines[0], who="\ud800"), *lines[1:]], "line 1 of the export is not an entry"),
    (lambda lines: [*lines[:2], *lines[3:]], "line 3 of the export is not an entry"),
    (lambda lines: [lines[1], lines[0], *lines[2:]], "line 1 of the export is not an entry"),
    (lambda lines: [edited(lines[1], index=0), edited(lines[0], index=1), *lines[2:]], ALTERED_EXPORT),
    (lambda lines: [*lines[:-2], lines[-1]], ALTERED_EXPORT),
    (lambda lines: [*lines[:-1], edited(lines[0], index=6), lines[-1]], ALTERED_EXPORT),
    (lambda lines: [*lines, lines[0]], ALTERED_EXPORT),
    (lambda lines: [*lines[:-1], lines[-1].replace(b"audit\\n6", b"audit\\n5")], "the export was altered: "),
    (lambda lines: [*lines[:-1], edited(lines[-1], checkpoint=[])], "the export was altered: "),
    (lambda lines: [*lines[:-1], edited(lines[-1], checkpoint="\ud800")], "the export"),
    (lambda lines: lines[:-1], "the export has no checkpoint: it is not complete"),
    (lambda lines: [lines[0][:-9] + b"\n", *lines[1:]], "line 1 of the export is not an entry"),
    (lambda lines: [b'["checkpoint"]\n', *lines], "line 1 of the export is not an entry"),
    (lambda lines: [edited(lines[0], id=0.5), *lines[1:]], "line 1 of the export is not an entry"),
    (lambda lines: [edited(lines[0], id=2**64), *lines[1:]], "line 1 of the export is not an entry"),
]


@pytest.mark.thorough
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
def test_a_changed_export_is_reported(trail, export, fails):
    path = export()
    lines = path.read_bytes().splitlines(keepends=True)

    for number, (edit, problem) in enumerate(EDITED):
        path.write_bytes(b"".join(edit(lines)))

        assert problem in fails("audit", "verify", "--from", str(path)), number


def test_an_event_that_is_not_logged_is_reported_after_a_minute(make_app, run):
    run("users", "create", "ada")
    assert run("audit", "verify")["waiting"] == 1

    later = make_app(clock=lambda: AT + 60_001).test_cli_runner().invoke(args=["audit", "verify"])

    assert later.exit_code == 1
    assert "audit event 1 is not in the log, although it is older than a minute" in later.stderr


OLD = "the secret that was used first and is long enough"
NEW = "the secret that comes after it and is long enough"


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_old_events_can_be_verified_after_the_secret_has_changed(make_app):
    old = make_app(SECRET_KEY=OLD)
    old.test_cli_runner().invoke(args=["users", "create", "ada"])
    log_all(old)
    both = make_app(SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=OLD).test_cli_runner()
    rotated = both.invoke(args=["secrets", "rotate"])
    assert json.loads(rotated.stdout)["auditKeys"] == 1

    verified = make_app(SECRET_KEY=NEW).test_cli_runner().invoke(args=["audit", "verify"])

    assert verified.exit_code == 0, verified.output


def test_a_lost_secret_hides_no_problem_and_is_reported_where_it_is_needed(tamper, make_app, run):
    run("users", "create", "not-logged")
    new = make_app(SECRET_KEY=NEW)
    new.test_cli_runner().invoke(args=["users", "create", "bob"])
    tamper("UPDATE audit_events SET who = 'system' WHERE id IN (2, 8)")

    verified = new.test_cli_runner().invoke(args=["audit", "verify"])

    assert json.loads(verified.stdout) == {"logged": 6, "waiting": 2, "problems": 3}
    assert "audit event 2 was altered" in verified.stderr
    assert "no SECRET_KEY decrypts the audit key" in verified.stderr
    assert "audit event 8 was inserted" in verified.stderr


def test_a_verification_ends_after_many_problems(tampered, fails, monkeypatch):
    monkeypatch.setattr(verification, "MAX_PROBLEMS", 3)

    with tampered("DELETE FROM audit_events"):
        assert len(fails("audit", "verify").splitlines()) == 4
