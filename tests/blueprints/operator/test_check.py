"""flask check: reports everything that keeps the server from working."""

import os
import subprocess
import sys

import pytest

from bench.harness.servers import ROOT
from models.db.connection import database, writing

pytestmark = pytest.mark.process

UNTRUSTED = "TRUSTED_PROXIES is 0, but requests of the last day had a forwarding header"


@pytest.fixture
def check(app):
    """Runs the command; its exit code and the lines on standard error."""

    def run():
        result = app.test_cli_runner().invoke(args=["check"])
        return result.exit_code, result.stderr.splitlines()

    return run


@pytest.fixture
def check_process(env):
    """Runs the command in a process of its own, with other settings."""

    def run(**variables):
        command = [sys.executable, "-m", "flask", "check"]
        environment = os.environ | env | variables
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def test_a_migrated_database_has_no_problems(check):
    assert check() == (0, [])


def test_a_missing_migration_is_reported(check):
    with writing():
        database.execute_sql("DELETE FROM schema_migration WHERE name = '0002_login_and_profile'")

    code, lines = check()

    assert (code, lines) == (1, ["schema: migrations to apply: 1; run flask db upgrade"])


def test_a_missing_table_is_reported_by_its_name(check):
    with writing():
        database.execute_sql("DROP TABLE login_nonces")

    code, lines = check()

    assert (code, lines) == (1, ["schema: the table login_nonces is missing; run flask db upgrade"])


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_invalid_settings_and_an_unreachable_database_are_reported_together(check_process):
    ended = check_process(PORT="x", JWT_TTL="y", DATABASE_URL="postgresql://127.0.0.1:1/platform")

    names = [line.split(":")[0] for line in ended.stderr.splitlines()]
    assert (ended.returncode, names) == (1, ["PORT", "JWT_TTL", "DATABASE_URL"])


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_unreachable_database_is_reported_without_its_password(check_process):
    ended = check_process(DATABASE_URL="postgresql://platform:correct-horse@127.0.0.1:1/platform")

    assert ended.returncode == 1
    assert ended.stderr.startswith("DATABASE_URL: the database cannot be reached: ")
    assert "correct-horse" not in ended.stderr


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_database_that_others_can_read_is_a_warning(check, tmp_path):
    file = next(tmp_path.glob("*.db"))
    file.chmod(0o644)

    code, lines = check()

    assert (code, lines) == (0, [f"warning: {file} can be read by other users; run chmod 600 on it"])


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("proxies", "warnings"),
    [("0", [f"warning: {UNTRUSTED}"]), ("1", [])],
)
def test_a_forwarding_header_of_an_untrusted_proxy_is_a_warning(make_app, proxies, warnings):
    app = make_app(TRUSTED_PROXIES=proxies)
    app.test_client().get("/healthz", headers={"X-Forwarded-For": "192.0.2.7"})

    result = app.test_cli_runner().invoke(args=["check"])

    assert (result.exit_code, result.stderr.splitlines()) == (0, warnings)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_sqlite_file_that_does_not_exist_is_reported_and_not_created(check_process, tmp_path):
    mistyped = tmp_path / "plaform.db"

    ended = check_process(DATABASE_URL=f"sqlite:///{mistyped}")

    assert ended.returncode == 1
    assert ended.stderr == f"DATABASE_URL: the file {mistyped} does not exist; run flask db upgrade\n"
    assert not mistyped.exists()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_bad_instance_directory_is_reported_once(check_process, tmp_path):
    (tmp_path / "file").touch()

    ended = check_process(INSTANCE_DIR=f"{tmp_path}/file", DATABASE_URL="")

    names = [line.split(":")[0] for line in ended.stderr.splitlines()]
    assert (ended.returncode, names) == (1, ["INSTANCE_DIR"])


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_file_that_is_no_database_is_reported(check_process, tmp_path):
    (tmp_path / "text.db").write_text("this is not a database" * 100)

    ended = check_process(DATABASE_URL=f"sqlite:///{tmp_path}/text.db")

    assert ended.returncode == 1
    assert ended.stderr.startswith("DATABASE_URL: ")
