"""Peewee queries whose SQL is generated once.

Peewee generates the SQL of a query each time that it runs. For a spin on SQLite that took three times as long
as the statements themselves.
"""

from collections.abc import Callable, Mapping
from typing import Any

import peewee

from models.database import database

Parameter = Callable[[str], peewee.Value]


class _Name(str):
    """Stands for the value of this name while the SQL is generated."""

    __slots__ = ()


class PreparedQuery:
    """A query with named parameters.

    ``build`` gets a function that makes a parameter of a name, and returns the query:
    ``PreparedQuery(lambda value: User.update(avatar="").where(User.id == value("user_id")))``. An insert
    names every column: defaults are those of the first run.
    """

    def __init__(self, build: Callable[[Parameter], Any]) -> None:
        self._build = build
        self._generated: dict[str, tuple[str, list[Any]]] = {}

    def execute(self, values: Mapping[str, Any]) -> Any:
        """Run the query with these values, as the database takes them; returns the cursor."""
        # Each kind of database marks parameters in its own way.
        generated = self._generated.get(database.obj.param)
        if generated is None:
            generated = self._build(_parameter).sql()
            self._generated[database.obj.param] = generated
        text, parameters = generated
        bound = [values[each] if type(each) is _Name else each for each in parameters]
        return database.execute_sql(text, bound)


def _parameter(name: str) -> peewee.Value:
    # Not converted, as a value of a column would be.
    return peewee.Value(_Name(name), converter=False)
