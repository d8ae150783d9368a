"""The checks of ``flask check`` but for settings: database, schema, audit trail, key, instance directory."""

import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import peewee

from models import audit_schema
from models.announced_seeds import AnnouncedSeed
from models.db import migrate
from models.db.connection import UNAVAILABLE, database, reading, repeatable_read, schema_problem
from models.db.new_connections import UnusableDatabase, overridden_settings
from models.db.postgres import Postgres
from models.db.sqlite import Sqlite
from models.processes import Process, live_processes
from services.audit_trail.verification import count_missing
from services.log import file
from services.log.bet_log import BetLog
from services.log.restore import MOVED, UNKNOWN
from services.log.sequencer import LogMissing, stored_log
from services.maintenance.encrypted_columns import EncryptedColumn
from services.payments.hold import current_hold
from settings import Settings

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def problems(
    settings: Settings, encrypted: Sequence[EncryptedColumn] = (), bet_log: BetLog | None = None
) -> list[str]:
    """Problems that keep a server with these settings from working, one line each.

    Checks that SECRET_KEY and SECRET_KEY_PREVIOUS decrypt a sample of these columns.
    """
    found = list(_database_problems())
    if not found:
        with repeatable_read():
            found += [f"audit trail: {problem}" for problem in audit_schema.problems()]
            found += filter(None, map(_key_problem, encrypted))
            found += _log_problems(bet_log) if bet_log else ()
            found += [
                f"sequence {late.name}: {late.table} has larger numbers;"
                f" run SELECT setval('{late.name}', {late.largest})"
                for late in database.late_sequences()
            ]
    return [*found, *_directory_problems(settings.instance_dir)]


def warnings(settings: Settings) -> list[str]:
    """Warnings for the operator, one line each."""
    private = [Path(database.database)] if isinstance(database.obj, Sqlite) else []
    private += [settings.instance_dir / name for name in ("secret_key", "jwt_secret")]
    return [
        f"{path} can be read by other users; run chmod 600 on it"
        for path in private
        if path.exists() and path.stat().st_mode & OTHERS
    ]


def option_warnings() -> list[str]:
    """A line if the address or PGOPTIONS have settings that each connection has of its own."""
    overridden = overridden_settings(database.database) if isinstance(database.obj, Postgres) else []
    return overridden and [f"DATABASE_URL: the server sets these options itself: {', '.join(overridden)}"]


@reading()
def proxy_warnings(settings: Settings) -> list[str]:
    """A line if running servers get requests with forwarding headers that they do not trust."""
    if settings.trusted_proxies or not live_processes().where(Process.untrusted_proxies).exists():
        return []
    problem = "TRUSTED_PROXIES is 0, but a running server gets requests with a forwarding header"
    return [f"{problem}; set it to the number of proxies in front"]


@reading()
def copy_warnings(settings: Settings, bet_log: BetLog) -> list[str]:
    """Lines about a database that this machine has no record of, or that is not the one of its record."""
    hold, doubt = current_hold(), bet_log.restores.doubt()
    found = [hold.text] if hold else []
    if doubt is not None and hold is None:
        what = "withdrawals will be held" if doubt == MOVED else "bets will be paused and withdrawals held"
        found.append(f"{what} because of the database: {doubt}")
    if UNKNOWN in (doubt, hold and hold.reason):
        same = {
            "LOG_ORIGIN (by default that of BASE_URL)": bet_log.has_first_origin(),
            "LOG_SIGNING_KEY": bet_log.sequencer.has_signed(stored_log()),
            "PAYMENT_METHODS": bool({*settings.payment_methods} - {"demo"}),
        }
        names = ", ".join(name for name, is_same in same.items() if is_same)
        if names:
            found.append(f"if this is a copy of another installation, change these settings: {names}")
    return found


def foreign_wal_problem(settings: Settings) -> str | None:
    """A line if the -wal file beside SQLite's file belongs to another file.

    To be asked before the first connection.
    """
    kept = file.read(settings.instance_dir / file.NAME)
    if kept is None or not kept.database.startswith("sqlite ") or not isinstance(database.obj, Sqlite):
        return None
    of_file = [database.foreign_wal(identity) for identity in (kept.database, kept.paused_in) if identity]
    wal = of_file[0] if all(of_file) else None
    return wal and (
        f"DATABASE_URL: the file {database.database} was replaced, and {wal} is that of the file before;"
        f" remove {wal} and its -shm file. If both files were copied together, run first:"
        f" sqlite3 {database.database} 'PRAGMA wal_checkpoint(TRUNCATE)'"
    )


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
            with reading():
                if database.is_read_only():
                    yield "DATABASE_URL: the database is read-only, and the server must write to it"
    except (peewee.DatabaseError, *UNAVAILABLE) as error:
        if problem := schema_problem(error):
            yield f"schema: {problem}"
        else:
            line = str(error).strip().splitlines()[0]
            is_unusable = isinstance(error, UnusableDatabase)
            yield f"DATABASE_URL: {line if is_unusable else f'the database cannot be reached: {line}'}"


def _log_problems(bet_log: BetLog) -> Iterator[str]:
    """Settings that do not fit the log, and whether rows of the log or of the audit trail are gone."""
    try:
        yield from bet_log.problems()
    except LogMissing as missing:
        yield str(missing)
        return
    if missing_events := count_missing():
        what = "are missing" if missing_events > 0 else "were added"
        yield f"audit trail: {abs(missing_events)} anchored events {what}; run flask audit verify"


def _key_problem(encrypted: EncryptedColumn) -> str | None:
    unreadable, tried = encrypted.count_unreadable()
    if not unreadable:
        return None
    advice = "name the key before it in SECRET_KEY_PREVIOUS"
    if encrypted.column is AnnouncedSeed.encrypted_server_seed:
        advice += ", or run flask seeds redraw"
    return f"SECRET_KEY: does not decrypt {unreadable} of {tried} {encrypted.label}; {advice}"


def _directory_problems(directory: Path) -> Iterator[str]:
    try:
        with tempfile.TemporaryFile(dir=directory):
            return
    except OSError:
        yield "INSTANCE_DIR: must be a directory that this user can write to"
