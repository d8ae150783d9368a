"""Copying the database of a running server."""

from pathlib import Path

from models.database import Sqlite, database, reading
from services.errors import OperatorError


def backup(path: Path) -> None:
    """Write a copy of the SQLite database as it is at this moment to a new file; writers wait for nobody.

    Raises OperatorError when the file is there already, when its directory is not, and for PostgreSQL, whose
    own tool does this better.
    """
    if not isinstance(database.obj, Sqlite):
        raise OperatorError("this is for SQLite; for PostgreSQL use pg_dump --format=custom")
    if path.exists() or not path.parent.is_dir():
        raise OperatorError("the file must be a new one, in a directory that is there")
    with reading():
        database.execute_sql("VACUUM INTO ?", (str(path),))
