"""A production server that many tests of one file may abuse, one after the other."""

from collections.abc import Iterator

import pytest

from tests.conftest import SECRET
from tests.support.databases import SqliteFiles
from tests.support.servers import RunningServer, gunicorn, server_process


@pytest.fixture(scope="module")
def production(
    sqlite_files: SqliteFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """Connections are handled before any database is asked, so one kind is enough."""
    directory = tmp_path_factory.mktemp("production")
    with sqlite_files.fresh(directory) as url:
        env = {
            "DATABASE_URL": url,
            "INSTANCE_DIR": str(directory / "instance"),
            "SECRET_KEY": SECRET,
            "JWT_SECRET": SECRET[::-1],
        }
        with server_process(gunicorn(), env, directory) as server:
            yield server
