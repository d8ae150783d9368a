"""Peewee queries whose SQL is generated once.

Peewee generates the SQL each time that a query runs. For a spin on SQLite that took three times as long as
the statements themselves.
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import peewee

from models.db.connection import Table, database

Row = TypeVar("Row", bound=Table)
Parameter = Callable[[str], peewee.Value]


class _Name(str):
    """A placeholder for the value of this name while the SQL is generated."""

    __slots__ = ()


class PreparedQuery:
    """A query with named parameters.

    ``build`` gets a function that makes a parameter of a name, and returns the query:
    ``PreparedQuery(lambda value: User.update(avatar="").where(User.id == value("user_id")))``. An insert must
    name every column, because defaults are computed only once.
    """

    def __init__(self, build: Callable[[Parameter], Any]) -> None:
        self._build = build
        self._generated: dict[str, tuple[str, list[Any]]] = {}

    def execute(self, values: Mapping[str, Any]) -> Any:
        """Run the query with these values, which are not converted, and return the cursor."""
        # The two databases have different placeholders.
        generated = self._generated.get(database.obj.param)
        if generated is None:
            generated = self._build(_parameter).sql()
            self._generated[database.obj.param] = generated
        text, parameters = generated
        bound = [values[each] if type(each) is _Name else each for each in parameters]
        return database.execute_sql(text, bound)


def _parameter(name: str) -> peewee.Value:
    # Without the column's conversion of values, which would run only once.
    return peewee.Value(_Name(name), converter=False)


class PreparedSelect(Generic[Row]):
    """Finds single rows of a table by a unique column, with SQL that is generated once."""

    def __init__(self, table: type[Row], column: peewee.Field) -> None:
        self._table = table
        fields = table._meta.sorted_fields  # noqa: SLF001  # peewee's own way
        self._names = [field.name for field in fields]
        self._booleans = [field.name for field in fields if isinstance(field, peewee.BooleanField)]
        self._query = PreparedQuery(lambda value: table.select().where(column == value("value")))

    def find(self, value: Any) -> Row | None:
        """The row with this value, if there is one. To be used within ``reading()``."""
        found = self._query.execute({"value": value}).fetchone()
        if found is None:
            return None
        row: Any = self._table()
        # In one step: setting 40 attributes one by one takes longer than the query.
        row.__data__ = dict(zip(self._names, found, strict=True))
        for name in self._booleans:
            # SQLite has numbers for them.
            row.__data__[name] = bool(row.__data__[name])
        row._dirty.clear()  # noqa: SLF001  # as peewee does: nothing of the row is to be saved
        return row  # type: ignore[no-any-return]
