"""What spins ask of SQLite, statement by statement with its values, and asking it again."""

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
    """A connection that notes everything that it is asked; ``notes`` are its class's."""

    notes: list[Asked]

    def cursor(self, *args: Any, **kwargs: Any) -> sqlite3.Cursor:
        """A cursor that notes as well."""
        return super().cursor(*args, **kwargs) if args else super().cursor(partial(_Noting, self.notes))

    def execute(self, statement: str, values: Values = (), /) -> sqlite3.Cursor:
        """Note and ask."""
        return self.cursor().execute(statement, values)


class _Noting(sqlite3.Cursor):
    def __init__(self, notes: list[Asked], connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._notes = notes

    def execute(self, statement: str, values: Values = (), /) -> sqlite3.Cursor:
        # A copy: whoever asks may use the same one for the next statement.
        self._notes.append((statement, copy(values)))
        return super().execute(statement, values)


@contextmanager
def recording() -> Iterator[list[Asked]]:
    """Note what every connection that is opened meanwhile is asked."""
    notes: list[Asked] = []
    connect = sqlite3.connect

    def recorded(
        *args: Any, factory: type[sqlite3.Connection] = sqlite3.Connection, **kwargs: Any
    ) -> sqlite3.Connection:
        # Beside the class of connections that the database asks for.
        bases = (_Recorder,) if factory is sqlite3.Connection else (_Recorder, factory)
        return connect(*args, factory=type("Recorder", bases, {"notes": notes}), **kwargs)

    sqlite3.connect = recorded  # type: ignore[assignment]
    try:
        yield notes
    finally:
        sqlite3.connect = connect


def replay(path: Path, pragmas: Sequence[str], asked: Sequence[Asked]) -> float:
    """Ask all of this of one connection, as fast as it answers; the seconds that it took."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in pragmas:
            connection.execute(pragma)
        began = time.perf_counter()
        for statement, values in asked:
            connection.execute(statement, values).fetchall()
        return time.perf_counter() - began
