"""The audit trail: events, those that wait for its log (models/log.py), and the keys of both.

Triggers (models/audit_triggers.py) refuse to update, replace or delete the rows of ``audit_events``.
"""

from typing import Any

import peewee
from peewee import SQL, fn

from models.db.connection import Table, database
from models.db.sqlite import Sqlite
from models.log import AUDIT, LogBundle

IS_LOGIN = SQL("what = 'account.logged-in'")
"""With a literal, so that the partial index matches."""
IS_BY_STAFF = SQL("substr(who, 1, 6) = 'staff:'")
"""Like IS_LOGIN."""


class AuditEvent(Table):
    """A recorded action. It is written in the transaction of the action."""

    # Drawn before the row is written, because ``mac`` covers it. A higher id may be committed earlier.
    id = peewee.BigAutoField()
    at_ms = peewee.BigIntegerField()
    # A platform id, ``staff:<name>``, ``operator:<system user>``, or ``system``.
    who = peewee.CharField(max_length=128)
    what = peewee.CharField(max_length=64)
    # The platform id of the account that it concerns.
    player = peewee.CharField(max_length=80, null=True)
    # The address of the client, if there was one.
    address = peewee.CharField(max_length=64, null=True)
    # JSON texts in their canonical form (services/audit_trail/canonical.py).
    before = peewee.TextField(null=True)
    after = peewee.TextField(null=True)
    # Proves that a process with SECRET_KEY has written the row.
    key_id = peewee.CharField(max_length=16)
    mac = peewee.CharField(max_length=64)

    class Meta:
        table_name = "audit_events"


# Searches of the back office, newest first: all events, and those of a person, a player or an action.
for _column in (None, AuditEvent.who, AuditEvent.player, AuditEvent.what):
    _name = "audit_events_by_time" if _column is None else f"audit_events_by_{_column.name}"
    _columns = [] if _column is None else [_column]
    AuditEvent.add_index(AuditEvent.index(*_columns, AuditEvent.at_ms, AuditEvent.id, name=_name))
# What staff have done, newest first. Nearly all events are by players.
AuditEvent.add_index(
    AuditEvent.index(AuditEvent.at_ms, AuditEvent.id, name="audit_events_by_staff", where=IS_BY_STAFF)
)
# The players who have logged in from an address.
AuditEvent.add_index(
    AuditEvent.index(AuditEvent.address, AuditEvent.player, name="audit_events_of_logins", where=IS_LOGIN)
)


class WaitingEvent(Table):
    """An event that is not in the audit log yet. The row is written with the event."""

    event_id = peewee.BigIntegerField(primary_key=True)

    class Meta:
        table_name = "audit_waiting_events"


class AuditKey(Table):
    """The key that belongs to one SECRET_KEY, encrypted, for the time when that is no longer known."""

    key_id = peewee.CharField(max_length=16, primary_key=True)
    encrypted_key = peewee.TextField()

    class Meta:
        table_name = "audit_keys"


class KnownSetting(Table):
    """A setting of the last start: the value as JSON, or a keyed digest of a secret value."""

    name = peewee.CharField(max_length=64, primary_key=True)
    value = peewee.TextField()

    class Meta:
        table_name = "audit_settings"


def stored_rows(query: Any) -> list[dict[str, Any]]:
    """The rows of a query as numbers and texts. SQLite takes any type in any column, and any bytes as a text.

    Other types are read as their representation in Python, and bytes that are not UTF-8 as their numbers.
    """
    connection: Any = database.connection()
    if isinstance(database.obj, Sqlite):
        connection.text_factory = lambda text: text.decode(errors="backslashreplace")
    try:
        cursor = database.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, map(_plain, row), strict=True)) for row in cursor]
    finally:
        if isinstance(database.obj, Sqlite):
            connection.text_factory = str


def _plain(value: object) -> object:
    return value if isinstance(value, int | str | None) else repr(value)


def next_event_id() -> int:
    """An id for a new event, to be used within ``writing()``."""
    if isinstance(database.obj, Sqlite):
        # There is only one write transaction at a time. The id of an event that was removed is not used
        # again: the log has it, or it waits for that.
        of_the_log = LogBundle.select(fn.MAX(LogBundle.highest_id)).where(LogBundle.log == AUDIT)
        used = (AuditEvent.select(fn.MAX(AuditEvent.id)), WaitingEvent.select(fn.MAX(WaitingEvent.event_id)))
        return max(query.scalar() or 0 for query in (*used, of_the_log)) + 1
    (number,) = database.execute_sql("SELECT nextval('audit_events_id_seq')").fetchone()
    return int(number)
