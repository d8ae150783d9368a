"""flask db upgrade: an empty database gets the schema, and one with an unknown history is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from models.db import migrate
from models.db.connection import Table, database, reading, writing
from models.items import Item
from models.logins import LoginProvider
from services.accounts import logins
from services.shared.errors import Refusal
from tests.harness.servers import ROOT
from tests.support.markers import sqlite_only

pytestmark = pytest.mark.both_databases("migrations")

MIGRATIONS = sorted(path.stem for path in Path(ROOT, "models", "migrations").glob("[0-9]*.py"))


@pytest.fixture
def settings(empty_database_url):
    """Of an app over a database with nothing in it."""
    return {"DATABASE_URL": empty_database_url}


def test_an_upgrade_creates_all_tables_and_keeps_existing_data(run, fails, client):
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


def test_an_upgrade_gives_each_account_the_login_that_made_it(run):
    run("db", "upgrade")
    ids = [
        run("users", "create", "alice", "--platform-id", "76561198000000001")["platformid"],
        logins.get_or_create(
            login_id=f"id-{'0' * 32}", provider=LoginProvider.IDENTITY, username="bob", avatar="", now=1
        ).platform_id,
        run("users", "create", "carol")["platformid"],
    ]
    history = migrate.Runner(database.obj).History
    with writing():
        database.execute_sql("DROP TABLE logins")
        history.delete().where(history.name == "0012_logins").execute()

    assert run("db", "upgrade") == {"applied": ["0012_logins"]}

    assert [run("users", "show", id_)["logins"] for id_ in ids] == [["platform"], ["identity"], []]


UPGRADE = """
import json, sys
from models.db import migrate
from models.db.connection import open_database

open_database(sys.argv[1])
print(json.dumps(migrate.upgrade()))
"""


@pytest.mark.thorough
@pytest.mark.process
def test_one_of_two_concurrent_upgrades_creates_all_tables(app, empty_database_url):
    command = [sys.executable, "-c", UPGRADE, empty_database_url]

    upgrades = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [upgrade.communicate(timeout=60)[0] for upgrade in upgrades]

    assert [upgrade.returncode for upgrade in upgrades] == [0, 0]
    assert sorted(json.loads(applied) for applied in printed) == [[], MIGRATIONS]
    migrate.check_tables()


CRASH = """
import os, sys
from models.db import migrate
from models.db.connection import open_database

open_database(sys.argv[1])
apply = migrate.Runner._run

def die_after_the_second(runner, name, *arguments, **options):
    apply(runner, name, *arguments, **options)
    if name.startswith("0002"):
        os._exit(9)

migrate.Runner._run = die_after_the_second
migrate.upgrade()
"""


@pytest.mark.thorough
@pytest.mark.process
def test_a_crash_between_two_migrations_leaves_an_empty_database(app, run, empty_database_url):
    assert subprocess.call([sys.executable, "-c", CRASH, empty_database_url], cwd=ROOT, timeout=60) == 9

    with reading():
        assert database.get_tables() == []
    assert run("db", "upgrade") == {"applied": MIGRATIONS}


@pytest.fixture
def older(app, run):
    """A database of version 0.4.0, as its history says."""
    run("db", "upgrade")
    history = migrate.Runner(database.obj).History
    with writing():
        history.delete().execute()
        for name in ("0012_price_schedule", "0013_since_0_2_0", "0046_held_withdrawals"):
            history.create(name=name)


BEFORE_1_0 = "the database is of a version before 1.0, which starts anew: make a new database"


@pytest.mark.usefixtures("older")
def test_a_database_of_a_version_before_1_0_is_refused_unchanged(fails):
    before = history_and_tables()

    assert fails("db", "upgrade") == f"Error: DATABASE_URL: {BEFORE_1_0}"
    assert f"schema: {BEFORE_1_0}" in fails("check").splitlines()
    assert history_and_tables() == before


@pytest.mark.usefixtures("older")
def test_a_server_does_not_start_on_a_database_of_a_version_before_1_0(app):
    with pytest.raises(Refusal, match=f"^DATABASE_URL: {BEFORE_1_0}$"):
        app.extensions["realtime"].start()


def test_a_database_with_an_unknown_migration_is_refused_unchanged(app, run, fails):
    run("db", "upgrade")
    with writing():
        migrate.Runner(database.obj).History.create(name="0014_of_a_later_version")
    before = history_and_tables()

    other = "another version has applied the migration 0014_of_a_later_version"
    assert fails("db", "upgrade") == f"Error: DATABASE_URL: {other}"
    assert history_and_tables() == before


def test_a_database_with_tables_without_history_is_refused_unchanged(app, fails):
    with writing():
        database.execute_sql("CREATE TABLE other (id INTEGER)")

    unknown = "the database is not empty and its version is unknown: schema_migration has no rows"
    assert fails("db", "upgrade") == f"Error: DATABASE_URL: {unknown}"
    with reading():
        assert database.get_tables() == ["other"]


def test_an_unusable_database_file_is_reported_in_one_line(make_app, tmp_path):
    (tmp_path / "text.db").write_text("this is not a database" * 100)
    lock = tmp_path / "nowhere" / "new.db.upgrade-lock"
    problems = {
        "text.db": "the database is not available: file is not a database",
        "nowhere/new.db": f"[Errno 2] No such file or directory: '{lock}'",
    }
    for path, problem in problems.items():
        app = make_app(DATABASE_URL=f"sqlite:///{tmp_path}/{path}")

        result = app.test_cli_runner().invoke(args=["db", "upgrade"])

        assert (result.exit_code, result.stderr) == (1, f"Error: {problem}\n")


def history_and_tables():
    with reading():
        return list(database.execute_sql("SELECT * FROM schema_migration")), database.get_tables()


@sqlite_only
@pytest.mark.security("Logs, errors and the database")
def test_the_files_of_sqlite_are_for_their_owner_only(run, tmp_path):
    run("db", "upgrade")

    with writing():
        Item.delete().execute()
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.glob("empty.db*")}
    modes.pop("empty.db.upgrade-lock")
    assert modes == dict.fromkeys(["empty.db", "empty.db-shm", "empty.db-wal"], "0o600")
