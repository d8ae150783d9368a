"""Databases of a PostgreSQL server that tests use one after the other.

To reset a database takes a third of the time of making one: 0.1 s instead of 0.25 s for each test.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tests.harness.databases import PostgresServer, postgres_url
from tests.support.postgres_reset import Reset


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
            if self._new.reset(self._named(name)):
                self._used.append(name)
            else:
                self._drop(name)

    def close(self) -> None:
        for name in self._used:
            self._drop(name)
        super().close()

    def _drop(self, name: str) -> None:
        self._new.forget(self._named(name))
        super()._drop(name)


@contextmanager
def reused_databases(url: str | None = None) -> Iterator[ReusedDatabases]:
    """Databases of the server at this URL, or of a new one."""
    with nullcontext(url) if url else postgres_url() as found:
        server = ReusedDatabases(found)
        yield server
        server.close()
