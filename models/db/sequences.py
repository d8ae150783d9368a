"""Sequences that would give numbers a second time, as after logical replication, which does not copy them."""

from collections.abc import Iterator
from typing import NamedTuple

from models.db.connection import database
from models.db.sqlite import Sqlite

SEQUENCES = """
SELECT sequences.relname, tables.relname, columns.attname
FROM pg_depend
JOIN pg_class AS sequences ON sequences.oid = pg_depend.objid AND sequences.relkind = 'S'
JOIN pg_class AS tables ON tables.oid = pg_depend.refobjid
JOIN pg_attribute AS columns
    ON columns.attrelid = tables.oid AND columns.attnum = pg_depend.refobjsubid
WHERE pg_depend.classid = 'pg_class'::regclass AND tables.relnamespace = current_schema()::regnamespace
ORDER BY sequences.relname
"""


class LateSequence(NamedTuple):
    """A sequence, the table that it numbers, and the largest number there."""

    name: str
    table: str
    largest: int


def late_sequences() -> Iterator[LateSequence]:
    """Yield each sequence whose next number is not above the largest. To be used within ``reading()``."""
    if isinstance(database.obj, Sqlite):
        return
    for name, table, column in database.execute_sql(SEQUENCES).fetchall():
        largest, following = database.execute_sql(
            f'SELECT (SELECT COALESCE(MAX("{column}"), 0) FROM "{table}"),'  # noqa: S608  # names of the schema
            f' last_value + CAST(is_called AS INTEGER) FROM "{name}"'
        ).fetchone()
        if largest >= following:
            yield LateSequence(name, table, largest)
