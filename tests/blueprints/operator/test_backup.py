"""Backups as docs/operating.md describes them: the restored database passes both audits."""

import resource
import stat
import subprocess
from urllib.parse import urlsplit, urlunsplit

import pytest

from models.db.connection import database
from tests.harness.databases import administer, packaged_tool
from tests.harness.spins import play_spin
from tests.support.markers import postgresql_only, sqlite_only


@pytest.fixture
def played(app, new_player, add_item):
    """Two players have spun and one has been paid."""
    item = add_item(price=10)
    for name in ("alice", "bob"):
        player = new_player(name)
        for _ in range(3):
            play_spin(app, player, item)
    app.test_cli_runner().invoke(args=["payments", "record", player.platform_id, "deposit", "5"])


@pytest.fixture
def restored_url(database_url, tmp_path, run):
    """Backs the database up, restores it beside itself; the address of the copy."""
    backup = tmp_path / "backup"
    if database_url.startswith("sqlite"):
        run("db", "backup", str(backup))
        return f"sqlite:///{backup}"
    dumped = [packaged_tool("pg_dump"), "--format=custom", f"--file={backup}", database_url]
    subprocess.run(dumped, check=True, timeout=60)
    address = urlsplit(database_url)
    name = f"{address.path[1:]}_{tmp_path.name}"
    administer(database_url, f'CREATE DATABASE "{name}"')
    url = urlunsplit(address._replace(path=f"/{name}"))
    restored = [packaged_tool("pg_restore"), "--exit-on-error", "--no-owner", f"--dbname={url}", backup]
    subprocess.run(restored, check=True, timeout=60)
    return url


@pytest.mark.both_databases("services/maintenance/backup.py")
@pytest.mark.guarantee("A backup")
@pytest.mark.regulation("B.3 Backup and recovery")
@pytest.mark.process
@pytest.mark.usefixtures("played")
def test_a_restored_backup_passes_the_audits_and_has_all_tables_and_triggers(make_app, run, restored_url):
    ledger, fairness = run("ledger", "audit"), run("fairness", "audit")

    copy = make_app(DATABASE_URL=restored_url).test_cli_runner()

    commands = (["ledger", "audit"], ["fairness", "audit"], ["check"], ["audit", "verify"])
    said = [copy.invoke(args=command) for command in commands]
    assert [result.exit_code for result in said] == [0, 0, 0, 0], [result.stderr for result in said]
    assert ledger["mismatches"] == 0
    assert [f"{ledger['entries']}" in said[0].stdout, fairness["bets"]] == [True, 6]
    assert '"bets":6' in said[1].stdout


@sqlite_only
def test_a_backup_never_overwrites_a_file_and_names_a_missing_directory(fails, tmp_path):
    kept, missing = tmp_path / "kept", tmp_path / "missing"
    kept.write_text("something")

    assert fails("db", "backup", str(kept)) == f"Error: the file {kept} exists already"
    said = fails("db", "backup", str(missing / "backup"))

    assert said == f"Error: {missing} must be a directory that this user can write to"
    assert kept.read_text() == "something"


@postgresql_only
def test_a_backup_of_postgresql_is_refused_and_names_pg_dump(fails, tmp_path):
    assert "pg_dump" in fails("db", "backup", str(tmp_path / "backup"))
    assert not (tmp_path / "backup").exists()


@sqlite_only
@pytest.mark.security("Logs, errors and the database")
def test_a_backup_is_for_its_owner_only(run, tmp_path):
    run("db", "backup", str(tmp_path / "backup"))

    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600


@sqlite_only
def test_a_backup_has_its_name_only_once_it_is_complete(run, tmp_path, monkeypatch):
    """So a command that is killed leaves nothing that looks like a backup."""
    execute, had_its_name = database.obj.execute_sql, []

    def look_after(sql, *args):
        result = execute(sql, *args)
        if "VACUUM" in sql:
            had_its_name.append((tmp_path / "backup").exists())
        return result

    monkeypatch.setattr(database.obj, "execute_sql", look_after)
    run("db", "backup", str(tmp_path / "backup"))

    assert had_its_name == [False]
    assert (tmp_path / "backup").exists()


@pytest.fixture
def _full_disk():
    """No file may grow over 64 KiB until the test ends."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@sqlite_only
@pytest.mark.usefixtures("played", "_full_disk")
def test_on_a_full_disk_a_command_names_the_reason_and_a_backup_leaves_no_file(fails, tmp_path):
    assert fails("users", "create", "carol") == "Error: the database is not available: disk I/O error"

    said = fails("db", "backup", str(tmp_path / "backup"))

    assert said.startswith("Error: the copy could not be written: ")
    assert not (tmp_path / "backup").exists()
