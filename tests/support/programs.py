"""Programs that some tests run and pip can't install. Such tests carry the program's marker.

Where a program is missing, its tests are deselected, and a line of the report's header says so. With ``CI``
set in the environment a missing program fails the run.
"""

import os
import shutil
from dataclasses import dataclass

import pytest

ADMINISTRATORS_PATH = "/usr/sbin"
"""Where Debian puts servers; an ordinary user's PATH does not have it."""


@dataclass(frozen=True)
class Program:
    """A program, the marker of the tests that run it, and the Debian package that has it."""

    marker: str
    command: str
    package: str

    @property
    def path(self) -> str | None:
        """Where it is installed; None when it is not."""
        return shutil.which(self.command, path=f"{os.environ.get('PATH', '')}:{ADMINISTRATORS_PATH}")


BROWSER = Program("browser", "chromium", "chromium")
NGINX = Program("nginx", "nginx", "nginx-light")
PROGRAMS = (BROWSER, NGINX)


def register_markers(config: pytest.Config) -> None:
    """Register a marker for each program. Raises UsageError when ``CI`` is set and one is missing."""
    for program in PROGRAMS:
        config.addinivalue_line("markers", f"{program.marker}: runs {program.command}")
    if os.environ.get("CI") and (missing := _missing()):
        packages = " ".join(program.package for program in missing)
        raise pytest.UsageError(f"CI is set, and these Debian packages are not installed: {packages}")


def report_missing() -> list[str]:
    """A line for each program that is missing."""
    return [
        f"{program.marker}: deselected, {program.command} is missing (Debian package {program.package})"
        for program in _missing()
    ]


def deselect_missing(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests whose program is missing."""
    markers = {program.marker for program in _missing()}
    deselected = [item for item in items if markers & {mark.name for mark in item.iter_markers()}]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in set(deselected)]


def _missing() -> list[Program]:
    return [program for program in PROGRAMS if program.path is None]
