"""The checks of ``flask check`` but for settings: database, schema, audit trail, key, instance directory."""

import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import peewee
from cryptography.fernet import InvalidToken

from models import audit_schema, seed_marks
from models.db import migrate
from models.db.connection import UNAVAILABLE, Sqlite, database, reading, schema_problem, snapshot
from models.users import AnnouncedSeed
from services.shared.encryption import Encrypter
from settings import Settings

FORWARDED_MARKER = "forwarded_requests"
"""A file in the instance directory, touched when a request has a forwarding header that is not trusted."""

DAY_SECONDS = 86_400
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def problems(settings: Settings, seeds: Encrypter | None = None) -> list[str]:
    """Problems that keep a server with these settings from working, one line each.

    With the encrypter of server seeds, checks that SECRET_KEY is that of the database.
    """
    found = list(_database_problems())
    if not found:
        if seeds:
            found += _key_problems(seeds)
        with snapshot():
            found += [f"audit trail: {problem}" for problem in audit_schema.problems()]
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


def _key_problems(seeds: Encrypter) -> Iterator[str]:
    # Seeds of earlier epochs are redrawn, and never decrypted.
    is_current = AnnouncedSeed.epoch == seed_marks.current_epoch()
    query = AnnouncedSeed.select(AnnouncedSeed.sealed_server_seed).where(is_current)
    with reading():
        sealed = query.order_by(AnnouncedSeed.user).limit(1).scalar()
    try:
        if sealed:
            seeds.decrypt(sealed)
    except InvalidToken:
        yield (
            "SECRET_KEY: does not decrypt the announced server seeds;"
            " name the key before it in SECRET_KEY_PREVIOUS, or run flask seeds redraw"
        )


def _directory_problems(directory: Path) -> Iterator[str]:
    try:
        with tempfile.TemporaryFile(dir=directory):
            return
    except OSError:
        yield "INSTANCE_DIR: must be a directory that this user can write to"
