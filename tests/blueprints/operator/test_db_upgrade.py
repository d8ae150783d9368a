"""flask db upgrade: from an empty database to the current schema."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.harness.servers import ROOT
from models.db.connection import Table, database, reading, writing
from models.items import Item
from tests.support.markers import sqlite_only

MIGRATIONS = sorted(path.stem for path in Path(ROOT, "models", "migrations").glob("[0-9]*.py"))


@pytest.fixture
def app(make_app, empty_database_url):
    """An app over a database with nothing in it."""
    return make_app(DATABASE_URL=empty_database_url)


def test_an_upgrade_applies_all_migrations_and_a_second_one_keeps_the_data(run, fails, client):
    said = fails("users", "show", "76561198000000001")
    assert said.startswith("Error: ")
    assert len(said.splitlines()) == 1
    assert client.get("/readyz").status_code == 503

    assert run("db", "upgrade") == {"applied": MIGRATIONS}

    assert client.get("/readyz").status_code == 200
    with reading():
        tables = set(database.get_tables())
    assert {table._meta.table_name for table in Table.__subclasses__()} <= tables
    platform_id = run("users", "create", "alice", "--balance", "5")["platformid"]
    assert run("db", "upgrade") == {"applied": []}
    assert run("users", "show", platform_id)["balance"] == 5


UPGRADE = """
import json, sys
from models.db import migrate
from models.db.connection import open_database

open_database(sys.argv[1])
print(json.dumps(migrate.upgrade()))
"""


@pytest.mark.process
def test_of_two_concurrent_upgrades_one_applies_the_migrations(empty_database_url):
    command = [sys.executable, "-c", UPGRADE, empty_database_url]

    upgrades = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [upgrade.communicate(timeout=60)[0] for upgrade in upgrades]

    assert [upgrade.returncode for upgrade in upgrades] == [0, 0]
    assert sorted(json.loads(applied) for applied in printed) == [[], MIGRATIONS]


@sqlite_only
def test_the_files_of_sqlite_are_for_their_owner_only(run, tmp_path):
    run("db", "upgrade")

    with writing():
        Item.delete().execute()
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.glob("empty.db*")}
    modes.pop("empty.db.upgrade-lock")
    assert modes == dict.fromkeys(["empty.db", "empty.db-shm", "empty.db-wal"], "0o600")
