"""All connections of a process lead to one database, wherever the address leads at the moment."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit

import pytest

from models.db.connection import database, open_database, reading
from models.db.new_connections import UnusableDatabase
from models.db.postgres import OTHER_DATABASE
from tests.harness.databases import administer
from tests.support.markers import postgresql_only

pytestmark = postgresql_only


@pytest.fixture
def address(database_url):
    """Lets the address of the open database lead to another one, as after a promotion."""
    opened = open_database(database_url)

    def lead_to(url):
        opened.database = url

    yield lead_to
    opened.close_all()


@pytest.fixture
def other_url(postgres):
    with postgres.fresh() as url:
        yield url


def name():
    with reading():
        return database.execute_sql("SELECT current_database()").fetchone()[0]


def elsewhere():
    """What ``name`` says on a connection that is opened beside the caller's."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(name).result()


def test_another_database_is_refused_while_a_connection_to_the_first_is_open(address, other_url):
    with reading():
        address(other_url)
        with pytest.raises(UnusableDatabase, match=OTHER_DATABASE):
            elsewhere()


def test_a_process_changes_to_another_database_when_the_first_is_gone(address, other_url):
    first = name()
    database.obj.close_idle()
    address(other_url)

    assert {name() for _ in range(3)}.isdisjoint({first})


def test_a_process_never_goes_back_to_a_database_that_it_has_left(address, other_url, database_url):
    name()
    database.obj.close_idle()
    address(other_url)
    name()
    database.obj.close_idle()
    address(database_url)

    with pytest.raises(UnusableDatabase, match=OTHER_DATABASE):
        name()


@pytest.fixture
def limited_url(database_url):
    """The URL of the same database for a role that may not read what the cluster is."""
    role = f"limited_{os.getpid()}"
    administer(
        database_url,
        f"CREATE ROLE {role} LOGIN",
        f"GRANT CREATE ON SCHEMA public TO {role}",
        "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
    )
    address = urlsplit(database_url)
    yield urlunsplit(address._replace(netloc=f"{role}@{address.netloc.rpartition('@')[2]}"))
    administer(
        database_url,
        "GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC",
        f"DROP OWNED BY {role}",
        f"DROP ROLE {role}",
    )


def test_a_role_that_may_not_read_the_cluster_still_tells_databases_apart(limited_url):
    opened = open_database(limited_url)
    with reading():
        shown = opened.connection().leads_to
    opened.close_all()

    assert re.fullmatch(r"postgresql unknown 0000\w{4} \d+", shown)
