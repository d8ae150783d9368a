"""Single rows by a unique column, with their SQL written once.

peewee writes it anew for every query, which for twenty columns takes longer than asking PostgreSQL.
"""

from typing import Any, Generic, TypeVar

import peewee

from models.database import Table, database

Row = TypeVar("Row", bound=Table)


class RowBy(Generic[Row]):
    """Finds rows of a table by one of its columns. To be used within ``reading()``."""

    def __init__(self, table: type[Row], column: peewee.Field) -> None:
        self._table = table
        self._column = column
        self._texts: dict[str, str] = {}

    def find(self, value: Any) -> Row | None:
        """The row with this value, if there is one."""
        found = database.execute_sql(self._text(), (value,)).fetchone()
        if found is None:
            return None
        fields = self._table._meta.sorted_fields  # noqa: SLF001  # peewee's own way
        values = {field.name: field.python_value(each) for field, each in zip(fields, found, strict=True)}
        row: Any = self._table(__no_default__=True, **values)
        row._dirty.clear()  # noqa: SLF001  # as peewee does: nothing of it is to be saved
        return row  # type: ignore[no-any-return]

    def _text(self) -> str:
        """For the database that is open: each marks parameters in its own way."""
        mark: str = database.obj.param
        if mark not in self._texts:
            meta = self._table._meta  # noqa: SLF001  # peewee's own way
            columns = ", ".join(f'"{field.column_name}"' for field in meta.sorted_fields)
            self._texts[mark] = (
                f'SELECT {columns} FROM "{meta.table_name}"'  # noqa: S608  # names of ours
                f' WHERE "{self._column.column_name}" = {mark}'
            )
        return self._texts[mark]
