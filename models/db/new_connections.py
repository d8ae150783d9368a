"""New connections to PostgreSQL: their addresses, their settings, and what is refused."""

import os
import re
import socket
import time
from collections.abc import Sequence
from typing import Any

import gevent
import peewee
import psycopg2
from gevent import monkey
from psycopg2 import errors, extensions

from models.db import waiting

CONNECT_SECONDS = 4
STATEMENT_MS = 5_000
"""Limits on single waits. The wait budget (models/db/waiting.py) limits their sum."""

OWN_SETTINGS = {
    # A database, a role or an address may have other defaults.
    "default_transaction_isolation": "read committed",
    # An answered commit survives a crash.
    "synchronous_commit": "on",
    "statement_timeout": f"{STATEMENT_MS // 1000}s",
    "lock_timeout": f"{STATEMENT_MS // 1000}s",
    # The locks of a process that has vanished are released soon.
    "idle_in_transaction_session_timeout": "10s",
    "TimeZone": "UTC",
}
"""The settings of each connection, in the words in which PostgreSQL shows them.

They are set after connecting, because poolers refuse or drop options of the start of a connection.
"""

SET_UP = """
SELECT
    ARRAY[{settings}],
    CASE WHEN NOT pg_is_in_recovery() THEN concat_ws(
        ' ',
        'postgresql',
        {system},
        left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
        (SELECT oid FROM pg_database WHERE datname = current_database())
    ) ELSE '' END,
    getdatabaseencoding(),
    current_user,
    has_schema_privilege(current_schema(), 'CREATE'),
    {backend}
"""
"""Sets all settings, and reads them and what the connection leads to: the cluster, its timeline (changed by a
promotion or a point-in-time recovery) and the database. That is empty in recovery: there is no timeline yet.
PostgreSQL 13 to 18 let every role read this, unless it was revoked."""
SYSTEM = "(SELECT system_identifier FROM pg_control_system())"
UNREADABLE_SYSTEM = "'unknown'"
BACKEND = "(SELECT concat_ws(' ', pid, backend_start) FROM pg_stat_get_activity(pg_backend_pid()))"
"""The server process of the connection: its number and when it began."""

OPTION = re.compile(r"(?:-c\s*|--)(?P<name>[\w.-]+)=(?P<value>(?:\\.|\S)*)\s*", re.DOTALL)
"""One of the options of an address, as PostgreSQL reads them."""


class UnusableDatabase(peewee.OperationalError):
    """This process must not use the database that the address leads to. ``str()`` says why, in one line."""


class ReadOnlyDatabase(UnusableDatabase):
    """The database takes no writes: it is a replica, or was set so."""


class RolledBack(UnusableDatabase):
    """The server has rolled back a transaction because of others. It may be tried again."""


class MisconfiguredDatabase(UnusableDatabase):
    """An operator must change the database, its role, its address or the pooler before it."""


ENCODING = (
    "the encoding of the database is {}, and must be UTF8;"
    " make a database with createdb --encoding=UTF8 --template=template0"
)
NO_CREATE = (
    "the role {0} may not create tables in its schema; the owner of the database can run"
    " GRANT CREATE ON SCHEMA public TO {0}"
)
NOT_PER_SESSION = (
    "a pooler gives each transaction or statement another connection to the server;"
    " PgBouncer needs pool_mode = session for this database"
)
BAD_OPTIONS = "the options of the address or of PGOPTIONS must be settings such as -c work_mem=64MB"
LOST_SETTINGS = "the server or a pooler before it does not keep the settings of a connection"


class Connection(extensions.connection):  # type: ignore[misc]  # psycopg2 carries no types
    """A connection with the time when it was opened, and the settling statements that it has prepared."""

    leads_to = ""
    """What SET_UP says. It can't change while the connection is open."""
    backend = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.opened_at = time.monotonic()
        self.prepared: set[str] = set()


def check_pooler(first: Connection, second: Connection) -> None:
    """Raise MisconfiguredDatabase if this idle connection has no server process of its own."""
    try:
        # In a transaction the second keeps its process, and the first must still have another.
        _answer(second, "BEGIN")
        in_use, idle = _answer(second, f"SELECT {BACKEND}"), _answer(first, f"SELECT {BACKEND}")
        has_own = idle != in_use and idle[0] == first.backend
    except psycopg2.OperationalError:
        # In statement mode PgBouncer ends a connection that begins a transaction.
        has_own = False
    if not has_own:
        raise MisconfiguredDatabase(NOT_PER_SESSION)


def given_settings(url: str) -> dict[str, str]:
    """The settings in PGOPTIONS and in the ``options`` of the address, which win.

    Raises MisconfiguredDatabase for other options.
    """
    given = {}
    for options in (os.environ.get("PGOPTIONS", ""), extensions.parse_dsn(url).get("options", "")):
        rest = options.strip()
        while rest:
            option = OPTION.match(rest)
            if option is None:
                raise MisconfiguredDatabase(BAD_OPTIONS)
            name = option["name"].replace("-", "_")
            given[name.lower()] = re.sub(r"\\(.)", r"\1", option["value"], flags=re.DOTALL)
            rest = rest[option.end() :]
    return given


def overridden_settings(url: str) -> list[str]:
    """The given settings that have no effect, because each connection has its own."""
    return sorted(given_settings(url).keys() & {name.lower() for name in OWN_SETTINGS})


def set_up(connection: Connection, given: dict[str, str]) -> None:
    """Set the settings, the own ones last. Raises MisconfiguredDatabase for a database that is no use."""
    pairs = [*given.items(), *OWN_SETTINGS.items()]
    statement = SET_UP.replace("{settings}", ", ".join(["set_config(%s, %s, FALSE)"] * len(pairs)))
    parameters = [text for pair in pairs for text in pair]
    try:
        found = _answer(connection, statement.format(system=SYSTEM, backend=BACKEND), parameters)
    except errors.InsufficientPrivilege:
        found = _answer(connection, statement.format(system=UNREADABLE_SYSTEM, backend=BACKEND), parameters)
    except (psycopg2.ProgrammingError, psycopg2.DataError, errors.CantChangeRuntimeParam) as error:
        raise MisconfiguredDatabase(f"{BAD_OPTIONS}: {_first_line(error)}") from None
    settings, connection.leads_to, encoding, role, may_create, connection.backend = found
    if settings[len(given) :] != list(OWN_SETTINGS.values()):
        raise MisconfiguredDatabase(LOST_SETTINGS)
    if encoding != "UTF8":
        raise MisconfiguredDatabase(ENCODING.format(encoding))
    if not may_create:
        raise MisconfiguredDatabase(NO_CREATE.format(role))


def _answer(connection: Connection, statement: str, parameters: Sequence[str] = ()) -> Any:
    """The first row of the answer; None without rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return cursor.fetchone() if cursor.description else None


def _first_line(error: psycopg2.Error) -> str:
    return str(error).strip().partition("\n")[0]


def addresses(url: str) -> dict[str, str]:
    """The addresses of the server's name. The driver's own lookup would block the whole process."""
    parts = extensions.parse_dsn(url)
    name = parts.get("host", "")
    if not name or name.startswith("/") or "," in name or "hostaddr" in parts:
        return {}
    try:
        found = _look_up(name)
    except OSError:
        raise psycopg2.OperationalError("the server's name can't be looked up") from None
    addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
    return {"host": ",".join([name] * len(addresses)), "hostaddr": ",".join(addresses)}


def _look_up(name: str) -> Any:
    if not monkey.is_module_patched("socket"):
        return socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    with waiting.wait(CONNECT_SECONDS) as seconds, gevent.Timeout(seconds, TimeoutError):
        return socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
