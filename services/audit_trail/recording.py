"""Writing an event of the audit trail in the transaction that it describes."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import Any

from models.audit_trail import AuditEvent, next_event_ids
from models.db.connection import database
from models.db.sql import insert_rows
from models.staff import StaffSession
from models.users import User
from services.audit_trail.actor import Actor, current_actor
from services.audit_trail.events import AuditEventType
from services.shared.clock import Millis
from services.shared.errors import AccountSuspended, Failure, Unauthorized

_recorded_at: ContextVar[Millis | None] = ContextVar("recorded_at", default=None)

CHANGED = "changed"
"""In ``before`` and ``after`` in the place of a value that must not be stored there."""


class AuditNotWritten(Failure):
    """The database has not stored an event as it was written, so the transaction must fail."""

    def __init__(self) -> None:
        super().__init__(
            "the database did not store the audit trail as it was written; see flask audit verify"
        )


def record(
    what: AuditEventType,
    *,
    now: Millis,
    user_id: int | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> int:
    """Add an event to the caller's transaction; returns its id.

    ``user_id`` is the player whose account it concerns, None if there is none. ``before`` and ``after`` hold
    texts, integers, booleans and null under camelCase names. Money is in cents, with a name that ends in
    ``Cents``. Of secrets, seeds, addresses and personal details they hold only CHANGED. Raises RuntimeError
    outside a transaction, and TypeError for other values. Raises AuditNotWritten, and Unauthorized or
    AccountSuspended when the actor's session was ended or the actor suspended meanwhile: the transaction is
    rolled back then.
    """
    if not database.in_transaction():
        raise RuntimeError("an audit event belongs to the transaction that it describes")
    actor = current_actor.get()
    _check_staff(actor)
    (row_id,) = next_event_ids(1)
    row = _row(row_id, what, player=_player(user_id, actor), now=now, before=before, after=after)
    AuditEvent.insert(row).as_rowcount().execute()
    # A trigger or rule can drop or change rows without an error.
    if AuditEvent.select().where(AuditEvent.id == row_id).dicts().first() != row:
        raise AuditNotWritten
    return row_id


def record_of_new_accounts(
    events: Sequence[tuple[AuditEventType, str, Mapping[str, Any]]], *, now: Millis
) -> None:
    """Add events to the caller's transaction, which has created the accounts that they concern.

    Of each: what was done, the platform id of the account, and ``after``. Raises as ``record`` does.
    """
    _check_staff(current_actor.get())
    rows = [
        _row(row_id, what, player=player, now=now, before=None, after=after)
        for row_id, (what, player, after) in zip(next_event_ids(len(events)), events, strict=True)
    ]
    insert_rows(AuditEvent, list(rows[0]), [list(row.values()) for row in rows])
    ids = [row["id"] for row in rows]
    written = AuditEvent.select().where(AuditEvent.id.between(min(ids), max(ids)), AuditEvent.id.in_(ids))
    if list(written.order_by(AuditEvent.id).dicts()) != rows:
        raise AuditNotWritten


def _row(
    row_id: int,
    what: AuditEventType,
    *,
    player: str | None,
    now: Millis,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The columns of an event by the current actor."""
    actor = current_actor.get()
    row: dict[str, Any] = {
        "id": row_id,
        "at_ms": _recorded_at.get() or now,
        "who": actor.who,
        "what": str(what),
        "player": player,
        "address": actor.address,
        "before": None if before is None else to_text(before),
        "after": None if after is None else to_text(after),
        "salt": secrets.token_hex(16),
        "number": None,
        "erased_by": None,
    }
    return row | {"digest": digest_of(event_text(row))}


@contextmanager
def recorded_at(now: Millis) -> Iterator[None]:
    """Give the events of the block this time, whatever time they are about.

    The demo plays days that are over, and the public log has the digest of an event minutes after its time.
    """
    token = _recorded_at.set(now)
    try:
        yield
    finally:
        _recorded_at.reset(token)


def because(reason: str) -> dict[str, str]:
    """The reason as a part of ``after``; nothing without one."""
    return {"reason": reason} if reason else {}


def to_text(value: Any) -> str:
    """The one JSON text of a value, with sorted keys and no blanks.

    Raises TypeError for anything but texts, integers, booleans, null, and lists and objects of them. A float
    is refused because it has several texts.
    """
    _check(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def event_text(event: Mapping[str, Any]) -> str:
    """The canonical text of an event, from its columns: a line of an export."""
    columns = {name: event[name] for name in ("id", "who", "what", "player", "address", "salt")}
    objects = {name: _object(event[name]) for name in ("before", "after")}
    return to_text(columns | objects | {"at": event["at_ms"]})


def digest_of(text: str) -> str:
    """The digest of an event with this canonical text, in hexadecimal."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _object(text: Any) -> Any:
    """The object of a canonical JSON text. A text that was altered stays a text."""
    try:
        value = json.loads(text or "null")
        return value if isinstance(value, dict) and to_text(value) == text else text
    except (ValueError, TypeError, RecursionError):
        return text


def _check(value: Any) -> None:
    if isinstance(value, dict):
        for key, content in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key must be a text, not {type(key).__name__}")
            _check(content)
    elif isinstance(value, list | tuple):
        for content in value:
            _check(content)
    elif value is not None and not isinstance(value, str | int):
        raise TypeError(f"an audit event cannot hold a {type(value).__name__}")


def _check_staff(actor: Actor) -> None:
    """Raises Unauthorized if the actor's session as a member of staff was ended."""
    if actor.staff_session is None:
        return
    is_running = StaffSession.token_hash == actor.staff_session, StaffSession.ended_at_ms.is_null()
    query: Any = StaffSession.select().where(*is_running)
    # Ending the session changes or deletes the row, and so waits for the commit of this transaction.
    if (query.for_update("FOR SHARE") if database.for_update else query).first() is None:
        raise Unauthorized


def _player(user_id: int | None, actor: Actor) -> str | None:
    """The platform id of this player, whose session is checked if it is the actor."""
    query: Any = User.select(User.platform_id, User.token_number, User.suspended_at_ms)
    query = query.where(User.id == user_id)
    if actor.token_number is not None and database.for_update:
        # Ending sessions and suspending lock the row, and so wait for the commit of this transaction.
        query = query.for_update("FOR KEY SHARE")
    platform_id, token_number, suspended_at_ms = query.tuples().first() or (None, None, None)
    if actor.token_number is not None and actor.who == platform_id:
        if actor.token_number != token_number:
            raise Unauthorized
        if suspended_at_ms is not None:
            raise AccountSuspended
    return platform_id
