"""Records the SQLite statements of spins with their values, and replays them."""

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

Values = Sequence[Any] | Mapping[str, Any]
Asked = tuple[str, Values]


class _Recorder(sqlite3.Connection):
    """A connection that records its statements in ``notes``, which its class shares."""

    notes: list[Asked]

    def cursor(self, *args: Any, **kwargs: Any) -> sqlite3.Cursor:
        """A cursor that records its statements too."""
        return super().cursor(*args, **kwargs) if args else super().cursor(partial(_Noting, self.notes))

    def execute(self, statement: str, values: Values = (), /) -> sqlite3.Cursor:
        """Record and execute."""
        return self.cursor().execute(statement, values)


class _Noting(sqlite3.Cursor):
    def __init__(self, notes: list[Asked], connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._notes = notes

    def execute(self, statement: str, values: Values = (), /) -> sqlite3.Cursor:
        # A copy, because the caller may use the same object for the next statement.
        self._notes.append((statement, copy(values)))
        return super().execute(statement, values)


@contextmanager
def recording() -> Iterator[list[Asked]]:
    """Record the statements of every connection that is opened in the block."""
    notes: list[Asked] = []
    connect = sqlite3.connect

    def recorded(
        *args: Any, factory: type[sqlite3.Connection] = sqlite3.Connection, **kwargs: Any
    ) -> sqlite3.Connection:
        # Combined with the class of connections that the database uses.
        bases = (_Recorder,) if factory is sqlite3.Connection else (_Recorder, factory)
        return connect(*args, factory=type("Recorder", bases, {"notes": notes}), **kwargs)

    sqlite3.connect = recorded  # type: ignore[assignment]
    try:
        yield notes
    finally:
        sqlite3.connect = connect


def replay(path: Path, pragmas: Sequence[str], asked: Sequence[Asked]) -> float:
    """Execute all of these on one connection. Returns the seconds."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in pragmas:
            connection.execute(pragma)
        began = time.perf_counter()
        for statement, values in asked:
            connection.execute(statement, values).fetchall()
        return time.perf_counter() - began
