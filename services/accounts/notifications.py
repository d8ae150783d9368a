"""Notifications to players, from the system and from operators."""

from operator import attrgetter

from models.callers import Caller
from models.db.connection import reading, writing
from models.users import Notification, User
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import because, record
from services.shared.clock import Millis
from services.shared.errors import AccountClosed, Refusal
from services.shared.text import is_storable

MOST_KEPT = 100
MAX_TITLE = 120
MAX_MESSAGE = 1000

VAULT_TITLE = "Vault unlockable"
VAULT_MESSAGE = "The deadline of your vault has passed. You can move its coins back to your balance."


def notify(*, user_id: int, title: str, message: str, now: Millis) -> Notification:
    """Add a notification in the caller's transaction. Only a player's newest hundred are kept.

    The texts must not contain codes or secrets.
    """
    with writing():
        added = Notification.create(user=user_id, title=title, message=message, created_at_ms=now)
        # Ordered by id: a new notification can have a time in the past and must not be deleted first.
        own = Notification.user == user_id
        newest = Notification.select(Notification.id).where(own).order_by(Notification.id.desc())
        Notification.delete().where(own, Notification.id.not_in(newest.limit(MOST_KEPT))).execute()
    return added


def send(*, user_id: int, title: str, message: str, now: Millis, reason: str = "") -> Notification:
    """Send an operator's message.

    Raises Refusal for a text that is empty, too long or not storable, and AccountClosed.
    """
    for name, text, most in (("title", title, MAX_TITLE), ("message", message, MAX_MESSAGE)):
        if not text.strip() or len(text) > most or not is_storable(text):
            raise Refusal(f"the {name} must be a text of 1 to {most} characters")
    with writing():
        if User.select().where(User.id == user_id, User.closed_at_ms.is_null(False)).exists():
            raise AccountClosed
        sent = notify(user_id=user_id, title=title, message=message, now=now)
        record(
            AuditEventType.NOTIFICATION_SENT,
            now=now,
            user_id=user_id,
            after={"title": title} | because(reason),
        )
        return sent


@reading()
def newest(*, user: Caller, now: Millis) -> list[Notification]:
    """A player's notifications, newest first.

    From the deadline of the vault until it is unlocked, one says so. It is not stored, and can't be deleted.
    """
    own = Notification.select().where(Notification.user == user.id)
    shown = list(own.order_by(Notification.id.desc()).limit(MOST_KEPT))
    deadline = user.vault_deadline_ms
    if deadline is not None and deadline <= now:
        shown.append(Notification(title=VAULT_TITLE, message=VAULT_MESSAGE, created_at_ms=deadline))
    return sorted(shown, key=attrgetter("created_at_ms"), reverse=True)


def mark_read(*, user_id: int, until: Millis, now: Millis) -> None:
    """Note that a player has read the notifications up to this time. An earlier one changes nothing."""
    read_at = min(until, now)
    with writing():
        User.update(notifications_read_at_ms=read_at).where(
            User.id == user_id, User.notifications_read_at_ms < read_at
        ).execute()


def clear(*, user_id: int) -> None:
    """Delete all notifications of a player."""
    with writing():
        Notification.delete().where(Notification.user == user_id).execute()
