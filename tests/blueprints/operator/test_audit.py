"""flask audit export and verify: changes of the database that did not come from the platform are found."""

import json
import os
import re
import struct
import subprocess
from contextlib import contextmanager
from functools import reduce
from pathlib import Path

import pytest

from models import audit_trail
from models.audit_trail import NO_EVENTS, AuditAnchor, AuditEvent, chained, stored_rows
from models.db.connection import database, writing
from models.db.sqlite import Sqlite
from models.log import LogBundle, LogEntry, LogTile
from services.audit_trail import verification
from services.audit_trail.recording import digest_of, event_text
from services.log.tree import leaf_hash
from tests.harness.servers import ROOT, flask_command
from tests.harness.spins import Clock
from tests.support.lost_log import restore_log, stored_log

AT = 1_700_000_000_000
MINUTE_MS = 60_000
ANCHORED = {"events": 6, "waiting": 0, "anchors": 1, "anchoredAt": AT + MINUTE_MS, "problems": 0}


@pytest.fixture
def clock():
    return Clock(AT)


@pytest.fixture
def append(app):
    """Appends to the public log what the server of this app would append within a second."""

    def append():
        app.extensions["services"].log.watch()
        app.extensions["services"].log.append_waiting()

    return append


@pytest.fixture
def anchor(append, clock):
    """Lets a minute pass, after which the events are anchored."""

    def anchor():
        clock.advance(minutes=1)
        append()

    return anchor


@pytest.fixture
def trail(run, anchor):
    """Six anchored events, 1 to 6, of three accounts with a grant each."""
    run("users", "create", "ada", "--count", "3", "--balance", "12.34")
    anchor()


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
        for table in ("audit_events", "audit_anchors"):
            database.execute_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        for table in ("audit_events", "audit_anchors"):
            database.execute_sql(f"ALTER TABLE {table} ENABLE TRIGGER USER")


@pytest.fixture
def tampered(trail):
    """Runs statements as somebody who owns the tables may, for a block. Then everything is as before."""

    @contextmanager
    def tampered(*statements):
        with writing(), database.atomic() as transaction:
            with without_triggers():
                for statement in statements:
                    statement() if callable(statement) else database.execute_sql(statement)
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


@pytest.mark.both_databases("services/audit_trail/verification.py")
def test_an_untouched_trail_verifies_without_problems_or_writes(trail, run, queries):
    queries.clear()

    assert run("audit", "verify") == ANCHORED

    verbs = {sql.split()[0] for sql, _ in queries}
    assert verbs <= {"SELECT", "SET", "BEGIN", "COMMIT"}


@pytest.mark.regulation("2.8 Significant events")
def test_an_event_names_the_operator_and_the_account(trail, run):
    first, created, granted, *_ = run("audit", "export")

    assert (created["what"], created["after"]) == ("account.created", {"username": "ada"})
    assert (granted["what"], granted["after"]) == ("coins.granted", {"amountCents": 1234})
    assert created["who"].startswith("operator:")
    assert created["player"] == granted["player"]
    assert (created["at"], created["address"]) == (AT, None)
    assert (first["anchor"]["events"], first["anchor"]["at"]) == (6, AT + MINUTE_MS)
    assert first["proof"].startswith("c2sp.org/tlog-proof@v1\nextra ")


@pytest.mark.both_databases("models/audit_trail.py")
def test_events_are_anchored_a_minute_after_the_first_in_the_order_of_their_ids(run, append, clock):
    run("users", "create", "ada")
    clock.advance(seconds=59)
    run("users", "create", "bob")
    append()
    assert run("audit", "verify")["anchors"] == 0

    clock.advance(seconds=1)
    append()
    append()

    found = run("audit", "verify")
    assert (found["anchors"], found["events"], found["anchoredAt"]) == (1, 2, AT + MINUTE_MS)
    assert [event["id"] for event in run("audit", "export")[1:]] == [1, 2]


def test_a_backlog_is_anchored_in_several_appends(run, append, clock, monkeypatch):
    monkeypatch.setattr(audit_trail, "BATCH", 2)
    run("users", "create", "ada", "--count", "5")
    clock.advance(days=3)

    for _ in range(3):
        append()

    found = run("audit", "verify")
    assert (found["anchors"], found["events"], found["waiting"]) == (3, 5, 0)


def test_an_event_without_an_anchor_is_reported_after_five_minutes(run, fails, clock):
    run("users", "create", "ada")
    clock.advance(minutes=5)
    assert run("audit", "verify")["waiting"] == 1

    clock.advance(ms=1)

    late = "audit event 1 has waited for an anchor for more than five minutes"
    assert late in fails("audit", "verify")


def rewrite_events():
    """Give each event the digest of what it has now."""
    for row in stored_rows(AuditEvent.select()):
        digest = digest_of(event_text(row))
        AuditEvent.update(digest=digest).where(AuditEvent.id == row["id"]).execute()


def rewrite_anchors():
    """Do the same with the anchor."""
    rewrite_events()
    rows = stored_rows(AuditEvent.select().order_by(AuditEvent.number))
    digest = reduce(chained, (row["digest"] for row in rows), NO_EVENTS)
    AuditAnchor.update(digest=digest, events=len(rows)).execute()


def rewrite_entries():
    """Do the same with the entry of the public log."""
    rewrite_anchors()
    entry = LogEntry.get(LogEntry.text.contains('"audit"'))
    anchor = AuditAnchor.get()
    content = json.loads(entry.text) | {"audit": anchor.digest, "events": anchor.events}
    entry.text = json.dumps(content, separators=(",", ":"))
    entry.save()


def rewrite_tree():
    """Do the same with the tree of the public log."""
    before, tile = anchor_leaf(), LogTile.get()
    rewrite_entries()
    LogTile.update(hashes=bytes(tile.hashes).replace(before, anchor_leaf())).execute()


def add_after_the_end():
    """Anchor the seventh event by an entry that is stored after the last one that was signed."""
    rewrite_events()
    last, event = AuditAnchor.get(), AuditEvent.get(AuditEvent.number == 7)
    digest = chained(last.digest, event.digest)
    AuditAnchor.create(events=7, digest=digest, at_ms=AT + MINUTE_MS)
    entry = LogEntry.get(LogEntry.text.contains('"audit"'))
    entry.id, entry.text = None, entry.text.replace(last.digest, digest).replace(':6,"v"', ':7,"v"')
    entry.save(force_insert=True)
    hashes = bytes(LogTile.get().hashes) + leaf_hash(entry.text.encode())
    LogTile.update(hashes=hashes).execute()
    references = bytes(LogBundle.get().references) + struct.pack(">q", -entry.id)
    LogBundle.update(references=references).execute()


def anchor_leaf():
    """The hash of the anchor's entry in the public log."""
    return leaf_hash(LogEntry.get(LogEntry.text.contains('"audit"')).text.encode())


ALTERED = [
    *("at_ms = at_ms + 1", "who = 'system'", "what = 'account.deleted'", "player = NULL", "address = '::1'"),
    *("before = '{}'", "after = NULL", "after = ' ' || after", "salt = 'x'", "digest = 'x'", "id = 7"),
    *("erased_by = 5", "salt = '', erased_by = 5, player = NULL"),
]
COPY = (
    "INSERT INTO audit_events"
    " SELECT 99, at_ms, who, what, player, address, before, after, salt, digest, {}, NULL"
)
INSERT = f"{COPY} FROM audit_events WHERE id = 3"
REORDER = (
    "UPDATE audit_events SET number = -3 WHERE number = 3",
    "UPDATE audit_events SET number = 3 WHERE number = 4",
    "UPDATE audit_events SET number = 4 WHERE number = -3",
)
DELETE = "DELETE FROM audit_events WHERE id = 3"
CLOSE_GAP = "UPDATE audit_events SET number = 3 WHERE number = 6"
OTHER_EVENTS = "the audit events 1 to 6 are not those of their anchor"
OTHER_ANCHORS = "anchor 1 and those after it are not those of the public log"
OTHER_ROOT = "has another root than the first 4 entries"
NOT_IN_TIME = "audit event 99 was not anchored at its time: it was inserted later"
CHANGES = [
    *(
        ([f"UPDATE audit_events SET {change} WHERE id = 3"], "audit event")  # noqa: S608
        for change in ALTERED
    ),
    ([DELETE], "the audit event with the number 3 is missing"),
    (["DELETE FROM audit_events"], "the audit event with the number 6 is missing"),
    (["UPDATE audit_events SET number = NULL WHERE id = 3"], "the audit event with the number 3 is missing"),
    (["UPDATE audit_events SET number = 7 WHERE id = 6"], "audit event 6 has a number without an anchor"),
    (["UPDATE audit_events SET number = 0 WHERE id = 6"], "audit event 6 has a number without an anchor"),
    ([INSERT.format(7)], "audit event 99 has a number without an anchor"),
    ([INSERT.format("NULL")], "audit event 99 was altered"),
    (REORDER, OTHER_EVENTS),
    ([DELETE, CLOSE_GAP], "the audit event with the number 6 is missing"),
    (["UPDATE audit_events SET who = 'system' WHERE id = 3", rewrite_events], OTHER_EVENTS),
    (["UPDATE audit_events SET who = 'system' WHERE id = 3", rewrite_anchors], OTHER_ANCHORS),
    ([DELETE, CLOSE_GAP, rewrite_anchors], OTHER_ANCHORS),
    (["DELETE FROM audit_anchors"], OTHER_ANCHORS),
    (["UPDATE audit_anchors SET at_ms = at_ms + 1"], OTHER_ANCHORS),
    (["INSERT INTO audit_anchors (events, digest, at_ms) VALUES (9, 'x', 9)"], "anchor 2 and those after it"),
    (["UPDATE audit_events SET who = 'system' WHERE id = 3", rewrite_entries], OTHER_ANCHORS),
    (["UPDATE audit_events SET who = 'system' WHERE id = 3", rewrite_tree], OTHER_ROOT),
    ([INSERT.format(7), rewrite_tree], OTHER_ROOT),
    ([INSERT.format(7), add_after_the_end], "anchor 2 and those after it are not those of the public log"),
    (["DELETE FROM audit_events", "DELETE FROM audit_anchors", "DELETE FROM log_tiles"], OTHER_ROOT),
    (["DELETE FROM log_bundles"], OTHER_ANCHORS),
    (["DELETE FROM log_entries"], OTHER_ANCHORS),
    (["UPDATE log SET checkpoint = 'x'"], "the last checkpoint: "),
    (["UPDATE log SET size = 0"], "on disk has 4 entries, the log only 0"),
]


@pytest.mark.both_databases("models/audit_schema.py")
@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_a_changed_row_is_reported(tampered, fails, run):
    for statements, problem in CHANGES:
        with tampered(*statements):
            assert problem in fails("audit", "verify"), statements

    assert run("audit", "verify") == ANCHORED


TEXTS = ("who", "what", "player", "address", "before", "after", "salt", "digest")


@pytest.mark.both_databases("models/audit_schema.py")
def test_bytes_in_a_column_of_texts_are_reported_and_exported(tampered, fails, run):
    for column in TEXTS:
        for value in ("x'ff'", "CAST(x'ff' AS TEXT)"):
            statement = f"UPDATE audit_events SET {column} = {value} WHERE id = 3"  # noqa: S608
            with tampered(statement):
                assert "audit event 3 was altered" in fails("audit", "verify"), statement
                run("audit", "export")


@pytest.mark.both_databases("models/audit_trail.py")
@pytest.mark.security("The audit trail")
def test_an_event_of_an_earlier_time_is_reported_though_it_is_anchored(trail, run, fails, clock, anchor):
    clock.advance(days=1)
    run("users", "create", "bob")
    anchor()
    clock.advance(days=1)
    with writing():
        database.execute_sql(INSERT.format("NULL"))
        AuditEvent.update(who="system").where(AuditEvent.id == 99)
        row = stored_rows(AuditEvent.select().where(AuditEvent.id == 99))[0]
        with without_triggers():
            digest = digest_of(event_text(row))
            AuditEvent.update(digest=digest).where(AuditEvent.id == 99).execute()
    anchor()

    assert fails("audit", "verify").splitlines() == [NOT_IN_TIME, "Error: 1 problems in the audit trail"]


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        (["DELETE FROM audit_events"], "6 anchored events are missing"),
        ([INSERT.format(7)], "1 anchored events were added"),
    ],
    ids=["removed", "inserted"],
)
def test_flask_check_counts_the_events(tampered, fails, statements, problem):
    with tampered(*statements):
        assert f"audit trail: {problem}; run flask audit verify" in fails("check").splitlines()


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize(
    "statements", [["DELETE FROM audit_events WHERE id = 6"], [INSERT.format(7)]], ids=["removed", "inserted"]
)
def test_a_tampered_trail_does_not_stop_the_public_log(tampered, run, append, fails, clock, statements):
    with tampered(*statements):
        run("users", "create", "later")
        clock.advance(minutes=1)
        with writing():
            _, events = audit_trail.anchor_waiting_events(now=clock())

        assert events > 6
        assert "anchor 2 and those after it are not those of the public log" in fails("audit", "verify")


@pytest.fixture
def restored(trail, run, anchor):
    """Puts the database back to what it had before its seventh event."""

    def restore():
        database.execute_sql("DELETE FROM audit_events WHERE id = 7")
        database.execute_sql("DELETE FROM audit_anchors WHERE events = 7")
        restore_log(backup)

    backup = stored_log()
    run("users", "create", "lost")
    anchor()
    return restore


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
def test_a_trail_without_its_end_is_found_by_the_checkpoint_on_disk_and_named_by_an_export(
    restored, export, fails
):
    exported = str(export())
    with writing(), without_triggers():
        restored()

    without, found = fails("audit", "verify"), fails("audit", "verify", "--from", exported)

    assert "on disk has 6 entries, the log only 4" in without
    assert "audit event 7 is missing" not in without
    assert "audit event 7 is missing" in found
    assert "the public log does not have the anchor of the export" in found


def test_a_restored_trail_verifies_when_the_log_goes_on(restored, run, anchor):
    with writing(), without_triggers():
        restored()
    run("log", "continue", "--reason", "a disk was lost", "--lost", "2")
    run("users", "create", "later")
    anchor()

    found = run("audit", "verify")

    assert (found["events"], found["anchors"], found["problems"]) == (8, 2, 0)


def test_an_export_has_events_without_an_anchor_too(trail, export, run, anchor):
    run("users", "create", "later")
    exported = str(export())
    anchor()
    run("users", "create", "after-the-export")

    found = run("audit", "verify", "--from", exported)

    assert (found["events"], found["exported"]) == (7, 7)


def edited(line, **changes):
    return json.dumps(json.loads(line) | changes, separators=(",", ":"), sort_keys=True).encode() + b"\n"


ALTERED_EXPORT = "the export was altered, or is not complete: its events are not those of its anchor"
NOT_AN_EXPORT = "the export has a line that is not an event, or none that is an anchor"
EDITED = [
    (lambda lines: [*lines[:3], edited(lines[3], who="system"), *lines[4:]], ALTERED_EXPORT),
    (lambda lines: [*lines[:3], edited(lines[3], who="system"), *lines[4:]], "audit event 3 was altered"),
    (lambda lines: [*lines[:3], *lines[4:]], ALTERED_EXPORT),
    (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], ALTERED_EXPORT),
    (lambda lines: lines[:-1], ALTERED_EXPORT),
    (lambda lines: [*lines, edited(lines[1], id=7)], "audit event 7 is missing"),
    (lambda lines: [edited(lines[0], anchor={"x": 1}), *lines[1:]], NOT_AN_EXPORT),
    (
        lambda lines: [lines[0].replace(b'"at":17', b'"at":16'), *lines[1:]],
        "the public log does not have the anchor of the export",
    ),
    (lambda lines: lines[1:], NOT_AN_EXPORT),
    (lambda lines: [], NOT_AN_EXPORT),
    (lambda lines: [lines[0], lines[1][:-9] + b"\n", *lines[2:]], NOT_AN_EXPORT),
    (lambda lines: [lines[0], b'["x"]\n', *lines[1:]], NOT_AN_EXPORT),
    (lambda lines: [lines[0], edited(lines[1], id=0.5), *lines[2:]], NOT_AN_EXPORT),
    (lambda lines: [lines[0], edited(lines[1], id=2**64), *lines[2:]], NOT_AN_EXPORT),
]


@pytest.mark.security("The audit trail")
def test_a_changed_export_is_reported(trail, export, fails, run):
    path = export()
    lines = path.read_bytes().splitlines(keepends=True)

    for number, (edit, problem) in enumerate(EDITED):
        path.write_bytes(b"".join(edit(lines)))

        assert problem in fails("audit", "verify", "--from", str(path)), number


@pytest.mark.process
def test_the_script_of_the_documents_computes_the_anchor_of_an_export(trail, export, run):
    page = (ROOT / "docs" / "audit-trail.md").read_text()
    script = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    ended = subprocess.run(
        ["python3", "-c", script, str(export())], capture_output=True, check=False, timeout=60
    )

    assert (ended.stdout, ended.stderr) == (b"6 events as in the public log\n", b"")


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


def test_a_verification_ends_after_many_problems(tampered, fails, monkeypatch):
    monkeypatch.setattr(verification, "MAX_PROBLEMS", 3)

    with tampered("DELETE FROM audit_events"):
        assert len(fails("audit", "verify").splitlines()) == 4
