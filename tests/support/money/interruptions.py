"""Interrupts a transaction at a chosen statement.

Before a statement, and so before COMMIT, nothing has been written. Right after COMMIT everything has, and
only the answer is lost.
"""

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import peewee


class InterruptionKind(StrEnum):
    """The kind of interruption."""

    REFUSED = "the statement fails"
    LOST = "the connection breaks"
    DIES = "the process dies"


class Died(BaseException):
    """The process has died: none of its code may run, not even error handling."""


@dataclass(frozen=True)
class Moment:
    """The n-th statement from now on, counted from 1; the next COMMIT if ``n`` is None."""

    n: int | None
    after: bool = False
    of_writes: bool = False
    """Count only statements that write, and their COMMIT."""


WRITES = ("INSERT", "UPDATE", "DELETE")
OFFER = 'INSERT INTO "rewards"'
"""The row of a free opening, which an opening adds before it is settled, and which changes nothing yet."""


class Fuse:
    """Interrupts the thread that arms it, once. ``install`` it in every database that is opened."""

    def __init__(self) -> None:
        self.burnt: InterruptionKind | None = None
        self.committed = False
        self._armed: tuple[InterruptionKind, Moment] | None = None
        self._thread = 0
        self._statements = 0
        self._has_written = False

    def install(self, database: peewee.Database) -> None:
        open_cursor = database.cursor

        def cursor(*args: Any, **kwargs: Any) -> Any:
            if self.burnt is InterruptionKind.DIES and self._concerns_this_thread():
                raise Died
            return _Cursor(open_cursor(*args, **kwargs), self)

        database.cursor = cursor

    def arm(self, kind: InterruptionKind, moment: Moment) -> None:
        self.burnt, self.committed, self._statements, self._has_written = None, False, 0, False
        self._armed, self._thread = (kind, moment), threading.get_ident()

    def disarm(self) -> None:
        self._armed = None

    def execute(self, cursor: Any, sql: str, parameters: Any) -> Any:
        """Run a statement, and interrupt before or after it if it is the chosen one."""
        if self.burnt is not None or not self._concerns_this_thread():
            return cursor.execute(sql, parameters)
        kind, moment = self._armed
        is_write = sql.lstrip().startswith(WRITES)
        self._has_written |= is_write and not sql.startswith(OFFER)
        # Reads of one state of the database end with a COMMIT, too.
        # On PostgreSQL, the statement of a bet is a transaction.
        settles = sql.startswith("EXECUTE settle")
        commits = settles or (sql == "COMMIT" and self._has_written)
        if settles:
            # A bet whose statement is executed again was not settled the first time.
            self.committed = False
        self._statements += is_write or commits or not moment.of_writes
        has_come = commits if moment.n is None else self._statements == moment.n
        if has_come and not moment.after:
            self._burn(kind, cursor)
        result = cursor.execute(sql, parameters)
        self.committed |= commits
        if has_come:
            self._burn(kind, cursor)
        return result

    def _concerns_this_thread(self) -> bool:
        return self._armed is not None and threading.get_ident() == self._thread

    def _burn(self, kind: InterruptionKind, cursor: Any) -> None:
        self.burnt = kind
        # SQLite has no connection that can break, so there the statement fails.
        if kind is InterruptionKind.DIES or (
            kind is InterruptionKind.LOST and not isinstance(cursor, sqlite3.Cursor)
        ):
            cursor.connection.close()
        raise Died if kind is InterruptionKind.DIES else peewee.OperationalError("trouble")


class _Cursor:
    """A cursor whose statements the fuse executes."""

    def __init__(self, cursor: Any, fuse: Fuse) -> None:
        self._cursor = cursor
        self._fuse = fuse

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        return self._fuse.execute(self._cursor, sql, parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)
