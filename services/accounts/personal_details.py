"""A player's username, real name, phone number and address."""

from collections.abc import Mapping

import peewee

from models.db.connection import reading, writing
from models.users import PersonalDetails, User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.signals import Tag, invalidate_after_commit


class UsernameTaken(Refusal):
    """Another player has this name; case does not matter."""

    text = "Username is already taken"


@reading()
def of_player(user_id: int) -> PersonalDetails:
    """The player's details; those not given are empty."""
    found = PersonalDetails.get_or_none(PersonalDetails.user == user_id)
    return found or PersonalDetails(user=user_id)


def change(*, user_id: int, username: str | None, details: Mapping[str, str], now: Millis) -> None:
    """Change the username, unless None, and the given columns of PersonalDetails: all of them or none.

    When two players change to one name at once, the unique column refuses the second. Raises UsernameTaken.
    """
    with writing():
        if details:
            PersonalDetails.insert(user=user_id, **details).on_conflict(
                conflict_target=[PersonalDetails.user], update=dict(details)
            ).execute()
            record(AuditEventType.DETAILS_CHANGED, now=now, user_id=user_id, after={"details": CHANGED})
        # The username comes last, because it locks the player's row. A concurrent first insert of details
        # would wait for that row while this transaction waits for the insert.
        if username is not None:
            _rename(user_id, username, now=now)


def _rename(user_id: int, username: str, *, now: Millis) -> None:
    before, folded = users.lock(user_id).username, username.lower()
    # Two players who exchanged their names at once would wait for each other if only the column decided.
    if User.select().where(User.username_folded == folded, User.id != user_id).exists():
        raise UsernameTaken
    renamed = User.update(username=username, username_folded=folded).where(User.id == user_id)
    try:
        renamed.execute()
    except peewee.IntegrityError:
        raise UsernameTaken from None
    if username != before:
        record(
            AuditEventType.USERNAME_CHANGED,
            now=now,
            user_id=user_id,
            before={"username": before},
            after={"username": username},
        )
    invalidate_after_commit(Tag.PLAYERS)
