"""The markers of the suite, and which tests are deselected.

A test that runs a program that pip can't install carries the program's marker. Where the program is missing,
these tests are deselected, and the report's header says so. With ``CI`` set in the environment a missing
program fails the run.
"""

import os

import pytest

from bench.harness.programs import PROGRAMS, missing_programs


def register(config: pytest.Config) -> None:
    """Register the markers. Raises UsageError when ``CI`` is set and a program is missing."""
    for program in PROGRAMS:
        config.addinivalue_line("markers", f"{program.marker}: runs {program.command}")
    if os.environ.get("CI") and (missing := missing_programs()):
        packages = " ".join(program.package for program in missing)
        raise pytest.UsageError(f"CI is set, and these Debian packages are not installed: {packages}")


def report_missing_programs() -> list[str]:
    """One line for each missing program."""
    return [
        f"{program.marker}: deselected, {program.command} is missing (Debian package {program.package})"
        for program in missing_programs()
    ]


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests whose program is missing."""
    markers = {program.marker for program in missing_programs()}
    deselected = [item for item in items if markers & {mark.name for mark in item.iter_markers()}]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in set(deselected)]
