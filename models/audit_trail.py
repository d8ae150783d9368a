"""The audit trail: events, the seals that chain them, and the keys of both.

Triggers (models/audit_triggers.py) refuse to update, replace or delete the rows of ``audit_events`` and
``audit_seals``.
"""

from typing import Any

import peewee
from peewee import fn

from models.db.connection import Sqlite, Table, database


class AuditEvent(Table):
    """A recorded action. It is written in the transaction of the action."""

    # Drawn before the row is written, because ``mac`` covers it. A higher id may be committed earlier.
    id = peewee.BigAutoField()
    at_ms = peewee.BigIntegerField()
    # A platform id, ``operator:<system user>``, or ``system``.
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


class UnsealedEvent(Table):
    """An event without a seal. The row is written with the event, and the sealer deletes it."""

    event_id = peewee.BigIntegerField(primary_key=True)

    class Meta:
        table_name = "audit_unsealed"


class AuditSeal(Table):
    """One link of the chain. The numbers are consecutive and begin with 1.

    The seal covers the event, this row and so, through ``previous_seal``, all rows before it.
    """

    number = peewee.BigIntegerField(primary_key=True)
    # Unique, so that an event is sealed once.
    event_id = peewee.BigIntegerField(unique=True)
    previous_event_id = peewee.BigIntegerField(null=True)
    # Empty for the first seal.
    previous_seal = peewee.CharField(max_length=64)
    key_id = peewee.CharField(max_length=16)
    seal = peewee.CharField(max_length=64)

    class Meta:
        table_name = "audit_seals"


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
        # again: it has a seal or waits for one, and neither it nor any later event could be sealed.
        used = (AuditEvent.id, AuditSeal.event_id, UnsealedEvent.event_id)
        return max(column.model.select(fn.MAX(column)).scalar() or 0 for column in used) + 1
    (number,) = database.execute_sql("SELECT nextval('audit_events_id_seq')").fetchone()
    return int(number)
