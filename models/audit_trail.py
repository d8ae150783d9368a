"""The audit trail: events, their anchors in the public log, and the settings of the last start.

Triggers (models/audit_schema.py) refuse to update, replace or delete rows of events and anchors. An event
only gets a number, once, when it is anchored.
"""

from functools import reduce
from hashlib import sha256
from typing import Any

import peewee
from peewee import SQL, fn

from models.db.connection import Table, database
from models.db.sql import execute
from models.db.sqlite import Sqlite

IS_LOGIN = SQL("what = 'account.logged-in'")
"""With a literal, so that the partial index matches."""
IS_BY_STAFF = SQL("substr(who, 1, 6) = 'staff:'")
"""Like IS_LOGIN."""

BATCH = 5_000
"""Events that one anchor adds at most."""
MINUTE_MS = 60_000
NO_EVENTS = "0" * 64
"""The digest of a trail without events."""


class AuditEvent(Table):
    """A recorded action. It is written in the transaction of the action."""

    # Drawn before the row is written, because ``digest`` covers it. A higher id may be committed earlier.
    id = peewee.BigAutoField()
    at_ms = peewee.BigIntegerField()
    # A platform id, ``staff:<name>``, ``operator:<system user>``, or ``system``.
    who = peewee.CharField(max_length=128)
    what = peewee.CharField(max_length=64)
    # The platform id of the account that it concerns.
    player = peewee.CharField(max_length=80, null=True)
    # The address of the client, if there was one.
    address = peewee.CharField(max_length=64, null=True)
    # JSON texts in their canonical form (``to_text`` of services/audit_trail/recording.py).
    before = peewee.TextField(null=True)
    after = peewee.TextField(null=True)
    # Random, in hexadecimal, so that nobody can guess what a digest is of.
    salt = peewee.CharField(max_length=32)
    # The SHA-256 of the canonical text of the columns above, in hexadecimal.
    digest = peewee.CharField(max_length=64)
    # The place in the order of the anchors, from 1 without gaps. Null until the event is anchored.
    number = peewee.BigIntegerField(null=True, unique=True)
    # The id of the event of the erasure that has removed what is personal here, and the salt.
    erased_by = peewee.BigIntegerField(null=True)

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
# What an erasure has erased, in the order of its digest.
AuditEvent.add_index(
    AuditEvent.index(
        AuditEvent.erased_by,
        AuditEvent.id,
        name="audit_events_erased",
        where=AuditEvent.erased_by.is_null(False),
    )
)
# Events that wait for an anchor.
AuditEvent.add_index(
    AuditEvent.index(AuditEvent.at_ms, name="audit_events_waiting", where=AuditEvent.number.is_null())
)


NEXT_IDS = "SELECT nextval('audit_events_id_seq') FROM generate_series(1, :count)"


class AuditAnchor(Table):
    """What the public log has about the first ``events`` events: the digest of their chain."""

    events = peewee.BigIntegerField(primary_key=True)
    digest = peewee.CharField(max_length=64)
    at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "audit_anchors"


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


def next_event_ids(count: int) -> list[int]:
    """Ids for so many new events, to be used within ``writing()``."""
    if isinstance(database.obj, Sqlite):
        # There is only one write transaction at a time.
        last = int(AuditEvent.select(fn.MAX(AuditEvent.id)).scalar() or 0)
        return list(range(last + 1, last + count + 1))
    return [number for (number,) in execute(NEXT_IDS, {"count": count})]


def chained(digest: str, of_event: str) -> str:
    """The digest of a chain that is longer by an event, from the digests of both."""
    return sha256(f"{digest}{of_event}".encode()).hexdigest()


def anchor_is_due(*, now: int) -> bool:
    """Whether an event has waited for an anchor for a minute. To be used within ``reading()``."""
    is_late = AuditEvent.number.is_null(), AuditEvent.at_ms <= now - MINUTE_MS
    return bool(AuditEvent.select().where(*is_late).exists())


NUMBER = """
UPDATE audit_events SET number = numbered.number FROM (
    SELECT id, ROW_NUMBER() OVER (ORDER BY id) + (
        SELECT COALESCE(MAX(highest), 0) FROM (
            SELECT MAX(number) AS highest FROM audit_events UNION ALL SELECT MAX(events) FROM audit_anchors
        ) AS of_both
    ) AS number FROM audit_events WHERE number IS NULL ORDER BY id LIMIT :batch
) AS numbered WHERE audit_events.id = numbered.id RETURNING audit_events.number, digest
"""
# Rows that somebody has added or removed must not stop the public log, so numbers follow the highest of both.


def anchor_waiting_events(*, now: int) -> tuple[str, int] | None:
    """Number the events that wait, and store an anchor, if one is due; returns its digest and its events.

    To be used in the transaction that appends the anchor to the public log, when that is locked. At most
    BATCH events are numbered at once, and the next anchor is due at once then.
    """
    if not anchor_is_due(now=now):
        return None
    last = AuditAnchor.select().order_by(AuditAnchor.events.desc()).first()
    numbers = sorted(execute(NUMBER, {"batch": BATCH}))
    if not numbers:
        # A trigger or rule of somebody else refuses it, which ``flask audit verify`` reports.
        return None
    digest = reduce(chained, (digest for _, digest in numbers), last.digest if last else NO_EVENTS)
    events, _ = numbers[-1]
    AuditAnchor.create(events=events, digest=digest, at_ms=now)
    return digest, events
