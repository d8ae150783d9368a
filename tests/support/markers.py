"""The markers of the suite, and the tests and databases of a run.

A test uses SQLite, or both databases with the marker ``both_databases``. Tests with the marker ``thorough``
are left out. With ``--all`` no test is left out, and each test runs on both databases.

A test that runs a program that pip can't install carries the program's marker. Where the program is missing,
these tests are deselected, and the last lines of the report name its Debian package. With ``CI`` set in the
environment a missing program fails the run, unless only thorough tests run it.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.harness.programs import PROGRAMS, REDIS, missing_programs

DATABASE_FIXTURES = {"sqlite": "sqlite_files", "postgresql": "postgres"}

sqlite_only = pytest.mark.parametrize("database_kind", ["sqlite"])
"""Marks a test, or the tests of a module, of behaviour that only SQLite has."""

postgresql_only = pytest.mark.parametrize("database_kind", ["postgresql"])
"""Marks a test, or the tests of a module, of behaviour that only PostgreSQL has."""

_without_processes: list[pytest.Item] = []
"""The test that runs now, unless it may start processes."""


def add_options(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help="run the tests with the marker thorough too, and each test on both databases",
    )
    parser.addoption(
        "--databases",
        default=",".join(DATABASE_FIXTURES),
        help="the databases to test on, separated by commas: sqlite, postgresql (default: both)",
    )
    parser.addoption(
        "--processes",
        type=int,
        default=1,
        help="how many gunicorn processes serve the app of a test, on PostgreSQL and Redis (default: none)",
    )


def register(config: pytest.Config) -> None:
    """Register the markers. Raises UsageError for an unknown database and for a missing program in CI."""
    for program in PROGRAMS:
        config.addinivalue_line("markers", f"{program.marker}: runs {program.command}")
    needed = [program for program in missing_programs() if not program.only_thorough]
    if os.environ.get("CI") and needed:
        packages = " ".join(program.package for program in needed)
        raise pytest.UsageError(f"CI is set, and these Debian packages are not installed: {packages}")
    if unknown := set(databases(config)) - DATABASE_FIXTURES.keys():
        raise pytest.UsageError(f"--databases: {', '.join(unknown)} is neither sqlite nor postgresql")
    sys.addaudithook(_refuse_processes)


def report_missing_programs(reporter: pytest.TerminalReporter) -> None:
    """Print one line that names the missing programs' markers and Debian packages."""
    if missing := missing_programs():
        markers = ", ".join(program.marker for program in missing)
        packages = " ".join(program.package for program in missing)
        reporter.write_line(f"Deselected without their programs: {markers} (apt-get install {packages})")


def mark_and_deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of programs as ``process``; deselect those without their program or database.

    Those with the marker ``thorough`` are deselected without ``--all``.
    """
    missing = {program.marker for program in missing_programs()}
    left_out = set(DATABASE_FIXTURES) - set(databases(config))
    if config.getoption("--processes") > 1 and REDIS in missing_programs():
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs redis-server"))
    deselected = _repeated_by_several_processes(items) if config.getoption("--processes") > 1 else set()
    for item in items:
        programs = {program.marker for program in PROGRAMS} & _markers(item)
        if programs:
            item.add_marker("process")
        is_left_out = "thorough" in _markers(item) and not config.getoption("--all")
        if is_left_out or programs & missing or any(_needs(item, database) for database in left_out):
            deselected.add(item)
    if deselected:
        config.hook.pytest_deselected(items=list(deselected))
        items[:] = [item for item in items if item not in deselected]


def choose_databases(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses a database on SQLite, and on both if a marker or ``--all`` says so."""
    chosen_by_mark = any(
        "database_kind" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")
    )
    if "database_kind" not in metafunc.fixturenames or chosen_by_mark:
        return
    marker = metafunc.definition.get_closest_marker("both_databases")
    on_both = marker is not None or metafunc.config.getoption("--all")
    metafunc.parametrize("database_kind", list(DATABASE_FIXTURES) if on_both else ["sqlite"])


@contextmanager
def only_marked_tests_start_processes(item: pytest.Item) -> Iterator[None]:
    """Fail a test that starts a process without the marker ``process``. PostgreSQL itself needs none."""
    several = item.config.getoption("--processes") > 1
    if several or "process" in _markers(item) or _needs(item, "postgresql"):
        yield
        return
    _without_processes.append(item)
    try:
        yield
    finally:
        _without_processes.clear()


def _refuse_processes(event: str, arguments: tuple[Any, ...]) -> None:
    # PostgreSQL is stopped after the last test of the session, which may be one without this database.
    if event == "subprocess.Popen" and _without_processes and "pgserver" not in str(arguments[0]):
        command = arguments[1]
        raise AssertionError(f"a test that starts a process needs @pytest.mark.process: {command}")


def _repeated_by_several_processes(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests on SQLite that also run on PostgreSQL: with several processes both run on PostgreSQL."""
    ids = {item.nodeid for item in items}
    renamed = {item: item.nodeid.replace("[sqlite", "[postgresql") for item in items}
    return {item for item, name in renamed.items() if name != item.nodeid and name in ids}


def _markers(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()}


def databases(config: pytest.Config) -> list[str]:
    """The databases to test on."""
    chosen: str = config.getoption("--databases")
    return chosen.split(",")


def _needs(item: pytest.Item, database: str) -> bool:
    """Whether a test runs on this database: a parameter names it, or the test uses its fixture."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return DATABASE_FIXTURES[database] in getattr(item, "fixturenames", ()) or any(
        value == database or (isinstance(value, tuple) and database in value) for value in parameters
    )
