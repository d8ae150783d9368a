"""Copying the database of a running server."""

from pathlib import Path

import peewee

from models import seed_marks
from models.db.connection import Sqlite, database, reading, writing
from services.shared.errors import OperatorError


def backup(path: Path) -> None:
    """Write a consistent copy of the SQLite database to a new file, without blocking writers.

    Raises OSError if the file exists or can't be made, and OperatorError if the copy can't be written, and
    for PostgreSQL, which has its own tool.
    """
    if not isinstance(database.obj, Sqlite):
        raise OperatorError("the database is not SQLite; use pg_dump --format=custom")
    with reading():
        path.touch(mode=0o600, exist_ok=False)
        # A machine without a witness file trusts a new database; it must not trust this copy.
        with writing():
            if seed_marks.is_new():
                seed_marks.append(new_epoch=False)
        try:
            database.execute_sql("VACUUM INTO ?", (str(path),))
        except peewee.OperationalError as failure:
            # An incomplete copy would look like a backup.
            path.unlink()
            raise OperatorError(f"the copy could not be written: {failure}") from None
