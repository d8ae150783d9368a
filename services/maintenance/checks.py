"""The checks of ``flask check`` but for settings: database, schema, audit trail, key, instance directory."""

import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import peewee

from models import audit_schema
from models.db import migrate
from models.db.connection import UNAVAILABLE, Sqlite, database, schema_problem, snapshot
from models.users import AnnouncedSeed
from services.maintenance.encrypted_columns import EncryptedColumn
from settings import Settings

FORWARDED_MARKER = "forwarded_requests"
"""A file in the instance directory, touched when a request has a forwarding header that is not trusted."""

DAY_SECONDS = 86_400
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def problems(settings: Settings, encrypted: Sequence[EncryptedColumn] = ()) -> list[str]:
    """Problems that keep a server with these settings from working, one line each.

    Checks that SECRET_KEY and SECRET_KEY_PREVIOUS decrypt a sample of these columns.
    """
    found = list(_database_problems())
    if not found:
        with snapshot():
            found += [f"audit trail: {problem}" for problem in audit_schema.problems()]
            found += filter(None, map(_key_problem, encrypted))
    return [*found, *_directory_problems(settings.instance_dir)]


def warnings(settings: Settings) -> list[str]:
    """What an operator should check, one line each."""
    private = [Path(database.database)] if isinstance(database.obj, Sqlite) else []
    private += [settings.instance_dir / name for name in ("secret_key", "jwt_secret")]
    found = [
        f"{path} can be read by other users; run chmod 600 on it"
        for path in private
        if path.exists() and path.stat().st_mode & OTHERS
    ]
    marker = settings.instance_dir / FORWARDED_MARKER
    was_touched = marker.exists() and marker.stat().st_mtime > time.time() - DAY_SECONDS
    if was_touched and not settings.trusted_proxies:
        found.append(
            "TRUSTED_PROXIES is 0, but requests of the last day had a forwarding header;"
            " set it to the number of proxies in front"
        )
    return found


def _database_problems() -> Iterator[str]:
    if isinstance(database.obj, Sqlite) and not Path(database.database).exists():
        # Connecting would create it.
        yield f"DATABASE_URL: the file {database.database} does not exist; run flask db upgrade"
        return
    try:
        if problem := migrate.problem():
            yield f"schema: {problem}"
        else:
            migrate.check_tables()
    except (peewee.DatabaseError, *UNAVAILABLE) as error:
        if problem := schema_problem(error):
            yield f"schema: {problem}"
        else:
            yield f"DATABASE_URL: the database cannot be reached: {str(error).strip().splitlines()[0]}"


def _key_problem(encrypted: EncryptedColumn) -> str | None:
    unreadable, tried = encrypted.count_unreadable()
    if not unreadable:
        return None
    advice = "name the key before it in SECRET_KEY_PREVIOUS"
    if encrypted.column is AnnouncedSeed.sealed_server_seed:
        advice += ", or run flask seeds redraw"
    return f"SECRET_KEY: does not decrypt {unreadable} of {tried} {encrypted.label}; {advice}"


def _directory_problems(directory: Path) -> Iterator[str]:
    try:
        with tempfile.TemporaryFile(dir=directory):
            return
    except OSError:
        yield "INSTANCE_DIR: must be a directory that this user can write to"
