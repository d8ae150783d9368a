"""Copying the database of a running server."""

import os
import tempfile
from pathlib import Path

import peewee

from models.db.connection import database, reading
from models.db.sqlite import Sqlite
from services.shared.errors import Refusal


def backup(path: Path) -> None:
    """Write a consistent copy of the SQLite database to a new file, without blocking writers.

    Raises Refusal if the file exists or the copy can't be written, and for PostgreSQL, which has its
    own tool.
    """
    if not isinstance(database.obj, Sqlite):
        raise Refusal("the database is not SQLite; use pg_dump --format=custom")
    if path.exists():
        raise Refusal(f"the file {path} exists already")
    if not os.access(path.parent, os.W_OK):
        raise Refusal(f"{path.parent} must be a directory that this user can write to")
    with reading(), tempfile.TemporaryDirectory(dir=path.parent) as directory:
        copy = Path(directory) / path.name
        copy.touch(mode=0o600)
        try:
            database.execute_sql("VACUUM INTO ?", (str(copy),))
        except peewee.OperationalError as failure:
            raise Refusal(f"the copy could not be written: {failure}") from None
        # Not earlier: what a killed command leaves must not look like a backup.
        copy.rename(path)
