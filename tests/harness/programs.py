"""Programs that tests and benchmarks run and that pip can't install."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.harness.waiting import can_connect, wait_until

SERVER_PATH = "/usr/sbin"
"""Where Debian installs servers. An ordinary user's PATH does not contain it."""


@dataclass(frozen=True)
class Program:
    """A program, the marker of the tests that run it, and its Debian package.

    CI does not install the programs of thorough tests only, which it leaves out then.
    """

    marker: str
    command: str
    package: str
    only_thorough: bool = False

    @property
    def path(self) -> str | None:
        """The path of the executable; None when it is not installed."""
        return shutil.which(self.command, path=f"{os.environ.get('PATH', '')}:{SERVER_PATH}")


BROWSER = Program("browser", "chromium", "chromium")
APACHE = Program("apache", "apache2", "apache2", only_thorough=True)
CADDY = Program("caddy", "caddy", "caddy", only_thorough=True)
FAKETIME = Program("faketime", "faketime", "faketime")
GO = Program("golang", "go", "golang-go golang-golang-x-mod-dev", only_thorough=True)
HAPROXY = Program("haproxy", "haproxy", "haproxy", only_thorough=True)
HLEDGER = Program("hledger", "hledger", "hledger", only_thorough=True)
LEDGER = Program("ledger", "ledger", "ledger", only_thorough=True)
NGINX = Program("nginx", "nginx", "nginx")
PGBOUNCER = Program("pgbouncer", "pgbouncer", "pgbouncer", only_thorough=True)
PGPOOL = Program("pgpool", "pgpool", "pgpool2", only_thorough=True)
PGBACKREST = Program("pgbackrest", "pgbackrest", "pgbackrest", only_thorough=True)
POSTGRESQL = Program("postgresql", "pg_ctlcluster", "postgresql", only_thorough=True)
"""Debian's: pgBackRest knows no newer one."""

PROMTOOL = Program("promtool", "promtool", "prometheus", only_thorough=True)
REDIS = Program("redis", "redis-server", "redis-server")
SYSTEMD = Program("systemd", "systemd-analyze", "systemd")
VARNISH = Program("varnish", "varnishd", "varnish", only_thorough=True)
PROGRAMS = (
    *(APACHE, BROWSER, CADDY, FAKETIME, GO, HAPROXY, HLEDGER, LEDGER, NGINX, PGBACKREST, PGBOUNCER),
    *(PGPOOL, POSTGRESQL, PROMTOOL, REDIS, SYSTEMD, VARNISH),
)


def missing_programs() -> list[Program]:
    return [program for program in PROGRAMS if program.path is None]


@contextmanager
def running(
    program: Program, arguments: Sequence[object], *, port: int, end: int = signal.SIGTERM, **options: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program during the block, which begins when it listens on this port.

    ``end`` is the signal that ends it, ``options`` are those of ``Popen``. Raises AssertionError when the
    program ends before it listens.
    """
    # In a session of its own: Ctrl-C must not stop it before the block ends.
    command = [str(program.path), *map(str, arguments)]
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            wait_until(lambda: can_connect(port) or process.poll() is not None)
            assert process.poll() is None, f"{program.command} has ended"
            yield process
        finally:
            process.send_signal(end)
            try:
                process.wait(30)
            finally:
                process.kill()
