"""What a database may do to a transaction, made to happen at a chosen statement.

Either side of the statement: before it, and so before COMMIT, nothing has happened; right after COMMIT
everything has, and only the answer is lost.
"""

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import peewee

from models.spin_settlement import EXECUTE


class Kind(StrEnum):
    """How it comes to trouble."""

    REFUSED = "the statement fails"
    LOST = "the connection breaks"
    DIES = "the process dies"


class Died(BaseException):
    """The process is no more: nothing of it may go on, not even what handles failures."""


@dataclass(frozen=True)
class Moment:
    """The n-th statement from now on, from 1, or the next COMMIT when ``n`` is None."""

    n: int | None
    after: bool = False


def commits(sql: str) -> bool:
    """Whether a statement ends a transaction well; on PostgreSQL that of a spin is one of its own."""
    return sql in ("COMMIT", EXECUTE)


class Fuse:
    """Makes trouble for the thread that arms it, once. ``install`` it in every database that is opened."""

    def __init__(self) -> None:
        self.burnt: Kind | None = None
        self.committed = False
        self._armed: tuple[Kind, Moment] | None = None
        self._thread = 0
        self._statements = 0

    def install(self, database: peewee.Database) -> None:
        open_cursor = database.cursor

        def cursor(*args: Any, **kwargs: Any) -> _Cursor:
            if self.burnt is Kind.DIES and self._concerns_this_thread():
                raise Died
            return _Cursor(open_cursor(*args, **kwargs), self)

        database.cursor = cursor

    def arm(self, kind: Kind, moment: Moment) -> None:
        self.burnt, self.committed, self._statements = None, False, 0
        self._armed, self._thread = (kind, moment), threading.get_ident()

    def disarm(self) -> None:
        self._armed = None

    def execute(self, cursor: Any, sql: str, parameters: Any) -> Any:
        """Run a statement, with trouble before or after it when its moment has come."""
        if self.burnt is not None or not self._concerns_this_thread():
            return cursor.execute(sql, parameters)
        kind, moment = self._armed
        self._statements += 1
        has_come = commits(sql) if moment.n is None else self._statements == moment.n
        if has_come and not moment.after:
            self._burn(kind, cursor)
        result = cursor.execute(sql, parameters)
        self.committed |= commits(sql)
        if has_come:
            self._burn(kind, cursor)
        return result

    def _concerns_this_thread(self) -> bool:
        return self._armed is not None and threading.get_ident() == self._thread

    def _burn(self, kind: Kind, cursor: Any) -> None:
        self.burnt = kind
        # SQLite is no connection that could break: there this is one more statement that fails.
        if kind is Kind.DIES or (kind is Kind.LOST and not isinstance(cursor, sqlite3.Cursor)):
            cursor.connection.close()
        raise Died if kind is Kind.DIES else peewee.OperationalError("trouble")


class _Cursor:
    """A driver's cursor that asks the fuse first."""

    def __init__(self, cursor: Any, fuse: Fuse) -> None:
        self._cursor = cursor
        self._fuse = fuse

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        return self._fuse.execute(self._cursor, sql, parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)
