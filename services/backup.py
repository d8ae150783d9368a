"""Copying the database of a running server."""

from pathlib import Path

import peewee

from models.database import Sqlite, database, reading
from services.errors import OperatorError
from services.seed_witness import mark_new_database


def backup(path: Path) -> None:
    """Write a copy of the SQLite database as it is at this moment to a new file; writers wait for nobody.

    Raises OperatorError when the file is there already, when its directory is not, when there is no room for
    it, and for PostgreSQL, whose own tool does this better.
    """
    if not isinstance(database.obj, Sqlite):
        raise OperatorError("this is for SQLite; for PostgreSQL use pg_dump --format=custom")
    with reading():
        try:
            path.touch(mode=0o600, exist_ok=False)
        except OSError:
            raise OperatorError("the file must be a new one, in a directory that is there") from None
        # On a machine without a witness file a new database is trusted, which a copy of it must not be.
        mark_new_database()
        try:
            database.execute_sql("VACUUM INTO ?", (str(path),))
        except peewee.OperationalError as failure:
            # Half of a copy would look like a backup.
            path.unlink()
            raise OperatorError(f"the copy could not be written: {failure}") from None
