"""flask check: reports everything that keeps the server from working."""

import base64
import shutil
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app import create_app
from models.db import migrate
from models.db.connection import database, writing
from services.log.restore import UNKNOWN
from tests.harness.databases import administer
from tests.harness.players import create_player
from tests.harness.servers import ROOT
from tests.support.markers import postgresql_only, sqlite_only

UNTRUSTED = (
    "TRUSTED_PROXIES is 0, but a running server gets requests with a forwarding header;"
    " set it to the number of proxies in front"
)

SETTINGS = "LOG_ORIGIN (by default that of BASE_URL), LOG_SIGNING_KEY"


@pytest.fixture
def check(make_app):
    """Runs the command with these settings; its exit code and the lines on standard error."""

    def run(**settings):
        result = make_app(**settings).test_cli_runner().invoke(args=["check"])
        return result.exit_code, result.stderr.splitlines()

    return run


def test_a_missing_migration_or_table_is_reported_by_its_name(app, check):
    assert check() == (0, [])
    with writing():
        database.execute_sql("DROP TABLE login_nonces")
    table = "schema: the table login_nonces is missing; run flask db upgrade"
    assert check() == (1, [table])
    with writing():
        database.execute_sql("DELETE FROM schema_migration WHERE name = '0009_processes'")

    assert check() == (1, ["schema: migrations to apply: 1; run flask db upgrade"])


def test_a_schema_of_a_later_version_is_reported(app, client, check):
    with writing():
        migrate.Runner(database.obj).History.create(name="0099_of_a_later_version")

    assert check() == (1, ["schema: another version has applied the migration 0099_of_a_later_version"])
    assert client.get("/readyz").status_code == 503


@pytest.fixture
def reported(env, monkeypatch):
    """Runs ``flask check`` with settings that keep the app from being made; the names of those it reports."""

    def run(**changes):
        for name, value in (env | changes).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["flask", "check"])
        with pytest.raises(SystemExit) as ended:
            create_app()
        return [line.split(":")[0] for line in str(ended.value).splitlines()]

    return run


def test_invalid_settings_and_an_unreachable_database_are_reported_together(reported):
    unreachable = "postgresql://127.0.0.1:1/platform"

    names = reported(PORT="x", JWT_TTL="y", DATABASE_URL=unreachable)

    assert names == ["PORT", "JWT_TTL", "DATABASE_URL"]
    assert reported(INSTANCE_DIR=str(ROOT / "Makefile"), DATABASE_URL="")[-1:] == ["INSTANCE_DIR"]


def test_a_database_that_cannot_be_used_is_reported(check, tmp_path):
    code, (line,) = check(DATABASE_URL="postgresql://platform:correct-horse@127.0.0.1:1/platform")
    assert code == 1
    assert line.startswith("DATABASE_URL: the database cannot be reached: ")
    assert "correct-horse" not in line

    mistyped = tmp_path / "plaform.db"
    missing = f"DATABASE_URL: the file {mistyped} does not exist; run flask db upgrade"
    assert check(DATABASE_URL=f"sqlite:///{mistyped}") == (1, [missing])
    assert not mistyped.exists()

    (tmp_path / "text.db").write_text("this is not a database" * 100)
    code, lines = check(DATABASE_URL=f"sqlite:///{tmp_path}/text.db")
    assert code == 1
    assert lines[0].startswith("DATABASE_URL: ")


@sqlite_only
def test_a_database_that_others_can_read_is_a_warning(check, tmp_path):
    file = next(tmp_path.glob("*.db"))
    file.chmod(0o644)

    assert check() == (0, [f"warning: {file} can be read by other users; run chmod 600 on it"])


def test_a_forwarding_header_of_an_untrusted_proxy_is_a_warning(app, client, check):
    client.get("/healthz", headers={"X-Forwarded-For": "192.0.2.7"})
    app.extensions["cluster"].processes.join(signals=None)

    assert check(TRUSTED_PROXIES="0") == (0, [f"warning: {UNTRUSTED}"])
    assert check(TRUSTED_PROXIES="1") == (0, [])


@postgresql_only
def test_a_sequence_behind_its_table_is_reported_with_its_remedy(app, check):
    """Logical replication copies rows, and leaves sequences where they were."""
    player = create_player(app)
    with writing():
        database.execute_sql("SELECT setval('users_id_seq', 1, false)")

    line = f"sequence users_id_seq: users has larger numbers; run SELECT setval('users_id_seq', {player.id})"
    assert check() == (1, [line])
    with writing():
        database.execute_sql(line.partition("run ")[2])
    assert check() == (0, [])


@postgresql_only
def test_a_read_only_database_is_reported(app, check, env):
    name = urlsplit(env["DATABASE_URL"]).path[1:]
    database.obj.close_all()
    administer(env["DATABASE_URL"], f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    try:
        found = check()
    finally:
        database.obj.close_all()
        administer(
            env["DATABASE_URL"],
            "SET default_transaction_read_only = off",
            f'ALTER DATABASE "{name}" RESET default_transaction_read_only',
        )

    assert found == (1, ["DATABASE_URL: the database is read-only, and the server must write to it"])


@sqlite_only
def test_a_copy_of_another_installation_is_warned_of_its_settings(app, check, tmp_path):
    create_player(app)
    app.extensions["services"].log.append_now()
    copy = {"INSTANCE_DIR": str(tmp_path / "copy"), "BASE_URL": "https://copy.example.com"}
    key = base64.b64encode(bytes(32)).decode()

    code, lines = check(INSTANCE_DIR=copy["INSTANCE_DIR"])
    assert code == 0
    assert lines == [
        f"warning: bets will be paused and withdrawals held because of the database: {UNKNOWN}",
        f"warning: if this is a copy of another installation, change these settings: {SETTINGS}",
    ]
    assert check(**copy, LOG_SIGNING_KEY=key, PAYMENT_METHODS="") == (0, lines[:1])


@sqlite_only
def test_a_replaced_file_beside_the_wal_of_another_is_not_opened(app, env, tmp_path, make_app):
    """SQLite would mix them."""
    create_player(app)
    app.extensions["services"].log.watch()
    file = Path(env["DATABASE_URL"].removeprefix("sqlite:///"))
    new = tmp_path / "new.db"
    shutil.copyfile(file, new)
    new.replace(file)

    with pytest.raises(SystemExit, match=f"^DATABASE_URL: the file {file} was replaced, and {file}-wal is"):
        make_app()
    Path(f"{file}-wal").unlink()
    make_app()
