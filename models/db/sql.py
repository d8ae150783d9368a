"""SQL written by hand, and searches, which both databases answer alike.

Peewee generates the SQL each time that a query runs. For a spin on SQLite that takes three times as long as
the statements themselves.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import peewee
from peewee import fn

from models.db.connection import Table, database
from models.db.postgres import Postgres
from models.db.sqlite import Sqlite

PARAMETER = re.compile(r"(?<!:):(\w+)")
"""Not a cast such as ``::bigint``."""

PART = re.compile(r"([\w.]+) ->> (\d+)")
"""A part of an array in JSON, as a text."""

TYPES = {
    "BIGAUTO": "BIGINT",
    "BIGINT": "BIGINT",
    "BOOL": "BOOLEAN",
    "INT": "INTEGER",
    "TEXT": "TEXT",
    "VARCHAR": "TEXT",
}
"""The type in SQL of each type of a column in Peewee."""


def execute(text: str, values: Mapping[str, Any]) -> Any:
    """Run SQL with parameters such as ``:user_id``; returns the cursor.

    ``{pairs}(:seeds)`` is a table with the columns ``key`` and ``value`` of a parameter, the text of a JSON
    object. So one parameter holds any number of rows, and the drivers take a third of the time of a list.
    ``{rows}(:items)`` is a table with the column ``value`` of a JSON array. If its values are arrays,
    ``value ->> 0`` is the first part of each.
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
    tables = text.replace("{pairs}", kind.json_pairs).replace("{rows}", kind.json_rows)
    named = with_clock(tables, kind)
    if is_sqlite:
        # SQLite before 3.38 has no such operator.
        named = PART.sub(r"json_extract(\1, '$[\2]')", named)
    return PARAMETER.sub(kind.param, named), PARAMETER.findall(named)


def insert_rows(
    table: type[Table], columns: Sequence[str], rows: Iterable[Sequence[Any]], *, then: str = ""
) -> Any:
    """Insert rows of texts, integers, booleans and null with one statement; returns the cursor.

    ``then`` follows it, such as ``ON CONFLICT`` or ``RETURNING``. Peewee would generate SQL for each value:
    34,500 items with 13 columns take it 2.5 s.
    """
    return execute(_insertion(table, tuple(columns), then), {"rows": json.dumps(list(rows))})


@cache
def _insertion(table: type[Table], columns: Sequence[str], then: str) -> str:
    meta = table._meta  # noqa: SLF001  # peewee's documented place of a table's fields
    fields = [meta.columns[name] for name in columns]
    values = [f"CAST(value ->> {place} AS {TYPES[each.field_type]})" for place, each in enumerate(fields)]
    into = f"{meta.table_name} ({', '.join(columns)})"
    # SQLite takes ON for that of a join unless there is a condition.
    return f"INSERT INTO {into} SELECT {', '.join(values)} FROM {{rows}}(:rows) AS one WHERE TRUE {then}"  # noqa: S608  # names of the schema


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
