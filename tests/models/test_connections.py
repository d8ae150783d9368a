"""Each connection to PostgreSQL has the settings that the product relies on, whatever others are given."""

import os
from urllib.parse import quote, urlsplit, urlunsplit

import pytest

from models.db.connection import database, open_database, reading
from models.db.new_connections import BAD_OPTIONS, OWN_SETTINGS, MisconfiguredDatabase
from services.shared.errors import Refusal
from tests.harness.databases import administer
from tests.support.markers import postgresql_only

pytestmark = postgresql_only


def with_options(url, options):
    return f"{url}{'&' if '?' in url else '?'}options={quote(options)}"


@pytest.fixture
def opened(database_url):
    """Opens the database with these options in its address; the value of a setting there."""

    def show(name, *, options=""):
        current = open_database(
            f"{database_url}{'&' if '?' in database_url else '?'}options={quote(options)}"
        )
        try:
            with reading():
                return database.execute_sql(f"SHOW {name}").fetchone()[0]
        finally:
            current.close_all()

    return show


def test_settings_of_the_database_do_not_count(opened, database_url):
    name = urlsplit(database_url).path[1:]
    others = {
        "default_transaction_isolation": "serializable",
        "synchronous_commit": "off",
        "statement_timeout": "0",
        "TimeZone": "Asia/Tokyo",
    }
    sets = [f"ALTER DATABASE \"{name}\" SET {setting} = '{value}'" for setting, value in others.items()]
    administer(database_url, *sets)
    try:
        found = {setting: opened(setting) for setting in others}
    finally:
        administer(database_url, f'ALTER DATABASE "{name}" RESET ALL')

    assert found == {setting: OWN_SETTINGS[setting] for setting in others}


def test_options_of_the_address_and_of_pgoptions_are_added_to_the_own(opened, monkeypatch):
    monkeypatch.setenv("PGOPTIONS", "-c work_mem=7MB --geqo=off")
    options = r"-c work_mem=9MB -cstatement-timeout=0 -c application_name=a\ name"

    found = {
        name: opened(name, options=options)
        for name in ("geqo", "work_mem", "statement_timeout", "application_name")
    }

    assert found == {
        "geqo": "off",
        "work_mem": "9MB",
        "statement_timeout": "5s",
        "application_name": "a name",
    }


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("-B 5", BAD_OPTIONS),
        ("-c work_mem=much", "work_mem"),
        ("-c not_a_setting=1", "not_a_setting"),
        ("-c log_disconnections=on", "log_disconnections"),
    ],
)
def test_an_option_that_cannot_be_set_is_refused_and_named(opened, options, problem):
    with pytest.raises(MisconfiguredDatabase, match=problem):
        opened("geqo", options=options)


def test_another_client_encoding_in_the_environment_does_not_count(opened, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")

    assert opened("client_encoding") == "UTF8"


@pytest.fixture
def ascii_url(database_url):
    """A database as initdb makes it without a locale."""
    name = f"ascii_{os.getpid()}"
    administer(
        database_url,
        f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    )
    yield urlunsplit(urlsplit(database_url)._replace(path=f"/{name}"))
    database.obj.close_all()
    administer(database_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def powerless_url(database_url):
    """The address of the database for a role that may not create tables."""
    role = f"powerless_{os.getpid()}"
    administer(database_url, f"CREATE ROLE {role} LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    address = urlsplit(database_url)
    yield urlunsplit(address._replace(netloc=f"{role}@{address.netloc.rpartition('@')[2]}"))
    database.obj.close_all()
    administer(database_url, f"DROP ROLE {role}")


UNUSABLE = {
    "ascii_url": "DATABASE_URL: the encoding of the database is SQL_ASCII, and must be UTF8;"
    " make a database with createdb --encoding=UTF8 --template=template0",
    "powerless_url": f"DATABASE_URL: the role powerless_{os.getpid()} may not create tables in its schema;"
    " the owner of the database can run GRANT CREATE ON SCHEMA public TO"
    f" powerless_{os.getpid()}",
}


@pytest.mark.parametrize(("kind", "problem"), UNUSABLE.items())
def test_an_unusable_database_is_refused_by_commands_and_at_the_start(kind, problem, request, make_app):
    app = make_app(DATABASE_URL=request.getfixturevalue(kind))
    upgraded = app.test_cli_runner().invoke(args=["db", "upgrade"])
    checked = app.test_cli_runner().invoke(args=["check"])

    assert (upgraded.exit_code, upgraded.stderr) == (1, f"Error: {problem}\n")
    assert (checked.exit_code, checked.stderr) == (1, f"{problem}\n")
    with pytest.raises(Refusal) as refused:
        app.extensions["cluster"].join()
    assert str(refused.value) == problem
    ready = app.test_client().get("/readyz")
    assert (ready.status_code, ready.json) == (503, {"error": problem.removeprefix("DATABASE_URL: ")})


def test_options_without_effect_are_a_warning(app, env, make_app):
    options = "-c statement_timeout=0 -c synchronous_commit=off"
    checked = make_app(DATABASE_URL=with_options(env["DATABASE_URL"], options))

    result = checked.test_cli_runner().invoke(args=["check"])

    names = "statement_timeout, synchronous_commit"
    assert result.stderr == f"warning: DATABASE_URL: the server sets these options itself: {names}\n"
