"""Writing an event of the audit trail in the transaction that it describes."""

from collections.abc import Mapping
from typing import Any

from models.audit_trail import AuditEvent, WaitingEvent, next_event_id
from models.db.connection import database
from models.staff import StaffSession
from models.users import User
from services.audit_trail.actor import Actor, current_actor
from services.audit_trail.canonical import event_text, to_text
from services.audit_trail.events import AuditEventType
from services.audit_trail.keys import AuditKeys, Purpose
from services.shared.clock import Millis
from services.shared.errors import AccountSuspended, Failure, Unauthorized

CHANGED = "changed"
"""In ``before`` and ``after`` in the place of a value that must not be stored there."""


class AuditNotWritten(Failure):
    """The database has not stored an event as it was written, so the transaction must fail."""

    def __init__(self) -> None:
        super().__init__(
            "the database did not store the audit trail as it was written; see flask audit verify"
        )


_keys: list[AuditKeys] = []


def record_with(keys: AuditKeys) -> None:
    """Sign all events of this process with these keys."""
    _keys[:] = [keys]


def record(
    what: AuditEventType,
    *,
    now: Millis,
    user_id: int | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Add an event to the caller's transaction.

    ``user_id`` is the player whose account it concerns, None if there is none. ``before`` and ``after`` hold
    texts, integers, booleans and null under camelCase names. Money is in cents, with a name that ends in
    ``Cents``. Of secrets, seeds, addresses and personal details they hold only CHANGED. Raises RuntimeError
    outside a transaction, and TypeError for other values. Raises AuditNotWritten, and Unauthorized or
    AccountSuspended when the actor's session was ended or the actor suspended meanwhile: the transaction is
    rolled back then.
    """
    if not database.in_transaction():
        raise RuntimeError("an audit event belongs to the transaction that it describes")
    (keys,) = _keys
    actor = current_actor.get()
    _check_staff(actor)
    row: dict[str, Any] = {
        "id": next_event_id(),
        "at_ms": now,
        "who": actor.who,
        "what": str(what),
        "player": _player(user_id, actor),
        "address": actor.address,
        "before": None if before is None else to_text(before),
        "after": None if after is None else to_text(after),
        "key_id": keys.current_id,
    }
    row["mac"] = keys.sign(Purpose.EVENT, event_text(row))
    AuditEvent.insert(row).as_rowcount().execute()
    WaitingEvent.insert(event_id=row["id"]).as_rowcount().execute()
    _check_stored(row)


def because(reason: str) -> dict[str, str]:
    """The reason as a part of ``after``; nothing without one."""
    return {"reason": reason} if reason else {}


def _check_stored(row: Mapping[str, Any]) -> None:
    """Read the event back, because a trigger or rule can drop or change rows without an error.

    Raises AuditNotWritten unless it is stored as it was written, and waits for the log.
    """
    query = AuditEvent.select().join(WaitingEvent, on=(WaitingEvent.event_id == AuditEvent.id))
    if query.where(AuditEvent.id == row["id"]).dicts().first() != row:
        raise AuditNotWritten


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
