"""Personal data is masked, unless the address asks for it with ``?personal=shown``.

It is asked for by the address, and not by a form, so that the way back to a page works.
"""

from collections.abc import Callable

from flask import request

from blueprints.office.access import can, refuse
from server.current_services import get_services
from services.staff import personal_data
from services.staff.permissions import Permission


def is_shown(*, user_id: int | None, what: str) -> bool:
    """Whether the page shows personal data of this player, or of several for None. Records the look.

    If the role may not see it, that is recorded, and the answer is 403.
    """
    if request.args.get("personal") != "shown":
        return False
    check_may_see()
    personal_data.record_look(user_id=user_id, what=what, now=get_services().clock())
    return True


def check_may_see() -> None:
    """Raises Forbidden if the role may not see personal data."""
    if not can(Permission.PERSONAL_DETAILS_SEE):
        refuse(Permission.PERSONAL_DETAILS_SEE)


def masking(*, shows_all: bool) -> Callable[[str | None], str]:
    """What a page does with each text that is personal."""
    return (lambda text: text or "") if shows_all else personal_data.masked
