"""SQL written by hand, and searches, which both databases answer alike.

Peewee generates the SQL each time that a query runs. For a spin on SQLite that takes three times as long as
the statements themselves.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import peewee
from peewee import fn

from models.db.connection import database
from models.db.postgres import Postgres
from models.db.sqlite import Sqlite

PARAMETER = re.compile(r"(?<!:):(\w+)")
"""Not a cast such as ``::bigint``."""


def execute(text: str, values: Mapping[str, Any]) -> Any:
    """Run SQL with parameters such as ``:user_id``; returns the cursor.

    ``{pairs}(:seeds)`` is a table with the columns ``key`` and ``value`` of a parameter, the text of a JSON
    object. So one parameter holds any number of rows, and the drivers take a third of the time of a list.
    ``{now}`` is the time by the database's clock, and ``{began}`` when the statement began, in ms.
    """
    positional, names = _positional(text, is_sqlite=isinstance(database.obj, Sqlite))
    return database.execute_sql(positional, [values[name] for name in names])


def execute_prepared(name: str, text: str, values: Mapping[str, Any]) -> Any:
    """Like ``execute``, with a statement that each connection of PostgreSQL prepares once, under this name.

    For a row that many requests read: PostgreSQL takes longer to plan such a statement than to run it.
    """
    if isinstance(database.obj, Sqlite):
        # Its driver prepares statements itself.
        return execute(text, values)
    statement = prepared(name, text)
    names = database.connection().prepared
    if name not in names:
        database.execute_sql(statement.prepare)
        names.add(name)
    return database.execute_sql(statement.execute, [values[each] for each in statement.names])


class Prepared(NamedTuple):
    """The texts that prepare and run a statement of PostgreSQL, and its parameters' names in order."""

    prepare: str
    execute: str
    names: list[str]


@cache
def prepared(name: str, text: str) -> Prepared:
    """How PostgreSQL prepares and runs this text under this name."""
    names = list(dict.fromkeys(PARAMETER.findall(text)))
    numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
    numbered = PARAMETER.sub(lambda found: numbers[found[1]], with_clock(text, Postgres))
    places = ", ".join([Postgres.param] * len(names))
    return Prepared(f"PREPARE {name} AS {numbered}", f"EXECUTE {name} ({places})", names)


@cache
def _positional(text: str, *, is_sqlite: bool) -> tuple[str, list[str]]:
    """The text with placeholders for this kind of database, and the parameters' names in order."""
    kind = Sqlite if is_sqlite else Postgres
    named = with_clock(text.replace("{pairs}", kind.json_pairs), kind)
    return PARAMETER.sub(kind.param, named), PARAMETER.findall(named)


def with_clock(text: str, kind: type[Sqlite | Postgres]) -> str:
    """The text with the times of this kind of database."""
    return text.replace("{now}", kind.now_ms.sql).replace("{began}", kind.began_ms.sql)


def contains_text(field: peewee.ColumnBase, text: str | peewee.Function) -> peewee.Expression:
    """Whether a column contains this text; no character is a wildcard."""
    # LIKE has wildcards, and in SQLite ignores the case of ASCII letters only.
    locate = fn.INSTR if isinstance(database.obj, Sqlite) else fn.STRPOS
    return locate(field, text) > 0


def begins_with(field: peewee.Field, text: str) -> peewee.Expression:
    """Whether a column begins with this text. Uses the index of a ``BytewiseField``."""
    # The last character of all. LIKE would use that index on one database only.
    return field.between(text, text + "\U0010ffff")
