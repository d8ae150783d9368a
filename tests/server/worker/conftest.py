"""Production servers that many tests of one file may abuse, one after the other."""

from collections.abc import Iterator

import pytest

from bench.harness.databases import SqliteFiles
from bench.harness.servers import RunningServer, gunicorn
from bench.harness.warm_start import WarmStart
from tests.support.apps import environment


def _serve(
    target: str, warm_start: WarmStart, sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """Connections are handled before any database is asked, so one kind is enough."""
    directory = tmp_path_factory.mktemp("production")
    with (
        sqlite_files.fresh(directory) as url,
        warm_start.server_process(gunicorn(target), environment(url, directory), directory) as server,
    ):
        yield server


@pytest.fixture(scope="module")
def production(
    warm_start: WarmStart, sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    yield from _serve("wsgi:app", warm_start, sqlite_files, tmp_path_factory)


@pytest.fixture(scope="module")
def hasty(
    warm_start: WarmStart, sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """The app with short deadlines."""
    yield from _serve(
        "tests.support.changed_apps:short_deadlines()", warm_start, sqlite_files, tmp_path_factory
    )


@pytest.fixture(scope="module")
def odd(
    warm_start: WarmStart, sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """The app behind programs that answer as WSGI lets them."""
    yield from _serve("tests.support.odd_answers_app:app", warm_start, sqlite_files, tmp_path_factory)


@pytest.fixture(scope="module")
def stuck(
    warm_start: WarmStart, sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """The app with a view that never answers."""
    yield from _serve("tests.support.changed_apps:stuck()", warm_start, sqlite_files, tmp_path_factory)
