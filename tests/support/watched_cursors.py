"""Calls a function in the place of every ``execute`` of a driver's cursor."""

from collections.abc import Callable, Iterator
from typing import Any

import peewee

Execute = Callable[[Any, str, Any], Any]
"""Called with the cursor, the statement and its parameters, it executes the statement."""


def watch(database: peewee.Database, execute: Execute) -> None:
    """Let all cursors of a database that was just opened call this function."""
    open_cursor = database.cursor
    database.cursor = lambda *args, **kwargs: _Cursor(open_cursor(*args, **kwargs), execute)


class _Cursor:
    def __init__(self, cursor: Any, execute: Execute) -> None:
        self._cursor = cursor
        self._execute = execute

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        return self._execute(self._cursor, sql, parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)
