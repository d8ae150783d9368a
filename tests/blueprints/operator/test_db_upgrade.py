"""flask db upgrade: from an empty database to the current schema."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.harness.servers import ROOT
from models.db.connection import Table, database, reading, writing
from models.items import Item

MIGRATIONS = sorted(path.stem for path in Path(ROOT, "models", "migrations").glob("[0-9]*.py"))


@pytest.fixture
def app(make_app, empty_database_url):
    """An app over a database with nothing in it."""
    return make_app(DATABASE_URL=empty_database_url)


def test_an_upgrade_applies_every_migration_in_order(run):
    assert run("db", "upgrade") == {"applied": MIGRATIONS}


def test_an_upgrade_creates_every_table(run):
    run("db", "upgrade")

    with reading():
        tables = set(database.get_tables())
    assert {table._meta.table_name for table in Table.__subclasses__()} <= tables


def test_an_upgrade_makes_a_running_process_ready(run, client):
    before = client.get("/readyz").status_code

    run("db", "upgrade")

    assert (before, client.get("/readyz").status_code) == (503, 200)


def test_a_second_upgrade_applies_nothing(run):
    run("db", "upgrade")

    assert run("db", "upgrade") == {"applied": []}


def test_a_second_upgrade_keeps_the_data(run):
    run("db", "upgrade")
    platform_id = run("users", "create", "alice", "--balance", "5")["platformid"]

    run("db", "upgrade")

    assert run("users", "show", platform_id)["balance"] == 5


def test_a_command_before_the_first_upgrade_fails_with_one_line(fails):
    said = fails("users", "show", "76561198000000001")

    assert said.startswith("Error: ")
    assert len(said.splitlines()) == 1


@pytest.mark.process
def test_of_two_concurrent_upgrades_one_applies_the_migrations(env, empty_database_url):
    command = [sys.executable, "-m", "flask", "db", "upgrade"]
    environment = os.environ | env | {"DATABASE_URL": empty_database_url}

    upgrades = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ended = [upgrade.communicate(timeout=60) for upgrade in upgrades]

    assert [upgrade.returncode for upgrade in upgrades] == [0, 0], ended
    assert sorted(json.loads(stdout)["applied"] for stdout, _ in ended) == [[], MIGRATIONS]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_files_of_sqlite_are_for_their_owner_only(run, tmp_path):
    run("db", "upgrade")

    with writing():
        Item.delete().execute()
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.glob("empty.db*")}
    modes.pop("empty.db.upgrade-lock")
    assert modes == dict.fromkeys(["empty.db", "empty.db-shm", "empty.db-wal"], "0o600")
