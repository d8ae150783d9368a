"""flask log continue and trust: an operator lets bets go on after a restore."""

import json

import pytest

from models.audit_trail import AuditEvent
from models.bets import Bet
from models.db.connection import database, reading, writing
from models.log import LogEntry
from tests.blueprints.log.conftest import ORIGIN
from tests.support.lost_log import epoch, is_paused, replace_log, restore_log, stored_log

pytestmark = [
    pytest.mark.usefixtures("signed"),
    pytest.mark.security("Restored database"),
    pytest.mark.both_databases("services/log/restore.py"),
]

REASON = ("--reason", "the disk failed")


@pytest.fixture
def command(app):
    """Runs a command; its exit code, what it printed as JSON, and its lines on standard error."""

    def run(*arguments):
        result = app.test_cli_runner().invoke(args=["log", *arguments])
        printed = [json.loads(line) for line in result.stdout.splitlines()]
        return result.exit_code, printed, result.stderr.splitlines()

    return run


@pytest.fixture
def file(tmp_path):
    return tmp_path / "instance" / "log.checkpoint"


@pytest.fixture
def lost(log, logged_spin):
    """Two entries of the log are lost: it has a commitment and a bet."""
    logged_spin()
    backup = stored_log()
    for _ in range(2):
        logged_spin()
    restore_log(backup)
    with writing():
        Bet.delete().where(Bet.nonce > 1).execute()


@reading()
def last_entries(count):
    texts = LogEntry.select(LogEntry.text).order_by(LogEntry.id.desc()).limit(count)
    return [json.loads(text) for (text,) in texts.tuples()][::-1]


def test_continue_shows_what_is_lost_and_does_nothing_without_the_number(command, lost):
    before = stored_log()

    code, (shown,), _ = command("continue", *REASON)

    assert (code, stored_log()) == (1, before)
    assert shown["checkpoint"] == {"origin": ORIGIN, "size": 4}
    assert (shown["log"], shown["lost"]) == ({"origin": ORIGIN, "size": 2}, 2)
    assert shown["lastBet"] == "2026-03-18T12:00:05+00:00"
    assert (shown["lastPayment"], shown["discrepancies"]) == (None, 0)
    assert shown["database"]
    assert shown["host"]


def test_continue_begins_a_successor_and_an_epoch(command, lost, log, run):
    code, (done,), _ = command("continue", *REASON, "--lost", "2")

    assert (code, done["epoch"], is_paused()) == (0, 2, False)
    assert done["origin"].startswith(f"{ORIGIN}-")
    successor, begun = last_entries(2)
    assert (successor["forkOf"], successor["kept"], successor["size"]) == (ORIGIN, 2, 4)
    assert (begun["redraw"], begun["reason"]) == (2, "the disk failed")
    assert log.checkpoint().size == done["size"] == 4
    assert run("log", "verify")["problems"] == 0


def test_in_a_terminal_the_number_is_typed(app, lost, monkeypatch):
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)

    result = app.test_cli_runner().invoke(args=["log", "continue", *REASON], input="2\n")

    assert (result.exit_code, is_paused()) == (0, False), result.stderr


def test_continue_refuses_another_number(command, lost):
    before = stored_log()

    code, _, (line,) = command("continue", *REASON, "--lost", "1")

    assert (code, line) == (1, "Error: 2 entries are lost, not 1")
    assert stored_log() == before


def test_continue_refuses_while_nothing_is_wrong(command, logged_spin):
    logged_spin()

    for arguments in ((), ("--lost", "0")):
        code, _, (line,) = command("continue", *REASON, *arguments)
        assert (code, line) == (
            1,
            "Error: bets are not paused: the database has all that this machine knows of it",
        )


def test_both_refuse_a_read_only_database(command, lost, monkeypatch):
    monkeypatch.setattr(database.obj, "is_read_only", lambda: True)

    for arguments in (("continue", *REASON, "--lost", "2"), ("trust", "--size", "2")):
        assert command(*arguments)[2] == ["Error: the database is read-only"]


def test_continue_needs_a_reason(command, lost):
    assert command("continue", "--lost", "2")[0] == 1
    code, _, (line,) = command("continue", "--reason", " ", "--lost", "2")
    assert (code, line) == (1, "Error: the reason must be a text of 1 to 200 characters")


def test_continue_without_a_file_begins_a_successor_of_what_the_database_has(command, logged_spin, file):
    logged_spin()
    file.unlink()

    _, (shown,), _ = command("continue", *REASON)
    code, _, _ = command("continue", *REASON, "--lost", "0")

    assert (shown["checkpoint"], shown["lost"], code) == (None, 0, 0)
    successor, _ = last_entries(2)
    assert (successor["forkOf"], successor["kept"], successor["size"]) == (ORIGIN, 2, 2)
    assert json.loads(file.read_text())["ended"].keys() == {ORIGIN}


def test_trust_keeps_the_name_of_the_log_and_redraws_the_seeds(app, command, logged_spin, file, player, run):
    logged_spin()
    told = app.extensions["services"].seeds.announced(user_id=player.id)
    file.unlink()

    code, (done,), _ = command("trust", "--size", "2", *REASON)

    assert (code, done) == (0, {"origin": ORIGIN, "size": 3, "epoch": 2})
    assert last_entries(1)[0]["reason"] == "the disk failed"
    assert (epoch(), is_paused()) == (2, False)
    again = app.extensions["services"].seeds.announced(user_id=player.id)
    assert again.server_seed_commitment != told.server_seed_commitment
    assert run("log", "verify")["problems"] == 0


def test_trust_refuses_a_size_that_the_log_does_not_have(command, logged_spin, file):
    logged_spin()
    file.unlink()

    for size in ("3", "0"):
        code, _, (line,) = command("trust", "--size", size)
        assert (code, line) == (1, f"Error: the log of the database has 2 entries, not {size}")


def test_trust_refuses_a_log_that_the_keys_have_not_signed(command, logged_spin, file):
    logged_spin()
    file.unlink()
    replace_log()

    code, _, (line,) = command("trust", "--size", "2")

    assert (code, line) == (1, "Error: the keys of this server have not signed the log of the database")


def test_trust_is_for_machines_without_a_file(command, lost):
    code, _, (line,) = command("trust", "--size", "2")

    assert (code, line) == (1, "Error: this machine has a record of the log: use flask log continue")


def test_both_are_events_of_the_audit_trail(command, lost, file):
    command("continue", *REASON, "--lost", "2")
    file.unlink()
    command("trust", "--size", "3")

    with reading():
        events = list(AuditEvent.select(AuditEvent.what, AuditEvent.after).order_by(AuditEvent.id).tuples())
    assert [what for what, _ in events if what.startswith("log.")] == ["log.continued", "log.trusted"]
    assert [json.loads(after)["reason"] for what, after in events if what.startswith("log.")] == [
        "the disk failed",
        "the log has the entries that others have seen",
    ]


def test_without_its_event_of_the_audit_trail_nothing_is_continued(app, lost, log, file):
    before, kept = stored_log(), file.read_text()

    def fail(_begun):
        raise RuntimeError("the process dies")

    with pytest.raises(RuntimeError, match="dies"):
        log.restores.resume(lost=2, reason="the disk failed", record=fail)

    assert (stored_log(), file.read_text()) == (before, kept)
