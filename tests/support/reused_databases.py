"""Databases of a PostgreSQL server that tests use one after the other, with connections that stay open."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from bench.harness.databases import PostgresServer, postgres_url
from models.db.connection import database
from models.db.postgres import Postgres
from tests.support.postgres_reset import Reset

_left_open: dict[str, list[Any]] = {}
"""Idle connections of closed apps, by the URL of their database. PostgreSQL takes 10 ms to open one."""


class ReusedDatabases(PostgresServer):
    """Its databases are used again if possible."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._new = Reset(self._named(self._template))
        self._used: list[str] = []

    @contextmanager
    def fresh(self, _directory: Path | None = None) -> Iterator[str]:
        name = self._used.pop() if self._used else self._create()
        try:
            yield self._named(name)
        finally:
            url = self._named(name)
            idle = [each for each in _idle_connections(url) if not each.closed]
            if self._new.reset(url, [each.get_backend_pid() for each in idle]):
                self._used.append(name)
                _left_open[url] = idle
            else:
                self._drop(name)

    def close(self) -> None:
        for name in self._used:
            self._drop(name)
        super().close()

    def _drop(self, name: str) -> None:
        self._new.forget(self._named(name))
        super()._drop(name)


def reuse_connections() -> None:
    """Give an app that was just created the connections that an earlier one has left open to its database."""
    opened = database.obj
    if isinstance(opened, Postgres):
        opened._idle.extend(_left_open.pop(opened.database, ()))


def _idle_connections(url: str) -> list[Any]:
    opened = database.obj
    return list(opened._idle) if isinstance(opened, Postgres) and opened.database == url else []


@contextmanager
def reused_databases(url: str | None = None) -> Iterator[ReusedDatabases]:
    """Databases of the server at this URL, or of a new one."""
    with nullcontext(url) if url else postgres_url() as found:
        server = ReusedDatabases(found)
        yield server
        server.close()
