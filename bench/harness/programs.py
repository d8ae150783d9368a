"""Programs that tests and benchmarks run and that pip can't install."""

import os
import shutil
from dataclasses import dataclass

SERVER_PATH = "/usr/sbin"
"""Where Debian installs servers. An ordinary user's PATH does not contain it."""


@dataclass(frozen=True)
class Program:
    """A program, the marker of the tests that run it, and its Debian package."""

    marker: str
    command: str
    package: str

    @property
    def path(self) -> str | None:
        """The path of the executable; None when it is not installed."""
        return shutil.which(self.command, path=f"{os.environ.get('PATH', '')}:{SERVER_PATH}")


BROWSER = Program("browser", "chromium", "chromium")
FAKETIME = Program("faketime", "faketime", "faketime")
NGINX = Program("nginx", "nginx", "nginx")
PGBACKREST = Program("pgbackrest", "pgbackrest", "pgbackrest")
POSTGRESQL = Program("postgresql", "pg_ctlcluster", "postgresql")
"""Debian's: pgBackRest knows no newer one."""

REDIS = Program("redis", "redis-server", "redis-server")
SYSTEMD = Program("systemd", "systemd-analyze", "systemd")
PROGRAMS = (BROWSER, FAKETIME, NGINX, PGBACKREST, POSTGRESQL, REDIS, SYSTEMD)


def missing_programs() -> list[Program]:
    return [program for program in PROGRAMS if program.path is None]
