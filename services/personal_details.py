"""A player's username, and who and where they are outside the platform."""

from collections.abc import Mapping

import peewee

from models.database import reading, writing
from models.personal_details import PersonalDetails
from models.users import User
from services.cache_invalidation import Tag, invalidate_after_commit
from services.errors import PlatformError


class UsernameTaken(PlatformError):
    """Another player has this name, in this case or another."""

    text = "Username is already taken"


@reading()
def of_player(user_id: int) -> PersonalDetails:
    """What the player has given; everything empty when that is nothing."""
    found = PersonalDetails.get_or_none(PersonalDetails.user == user_id)
    return found or PersonalDetails(user=user_id)


def change(*, user_id: int, username: str | None, details: Mapping[str, str]) -> None:
    """Change what is given (a username or None, columns of PersonalDetails by name), all of it or nothing.

    Of two players who want one name at once, the unique column gives it to the first. Raises UsernameTaken.
    """
    with writing():
        if details:
            PersonalDetails.insert(user=user_id, **details).on_conflict(
                conflict_target=[PersonalDetails.user], update=dict(details)
            ).execute()
        # Last: a new name locks the player's row against a first row of details, which would wait for
        # it while the renaming waits for that row.
        if username is not None:
            _rename(user_id, username)


def _rename(user_id: int, username: str) -> None:
    renamed = User.update(username=username, username_folded=username.lower()).where(User.id == user_id)
    try:
        renamed.execute()
    except peewee.IntegrityError:
        raise UsernameTaken from None
    invalidate_after_commit(Tag.PLAYERS)
