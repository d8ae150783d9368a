"""/auth: the current player, and logging out."""

from typing import Any

from blueprints.api.auth import current_user, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.auth.schemas import LogoutSchema, UserSchema
from models.users import User
from server.current_services import get_services
from server.realtime.realtime import current_realtime
from services.accounts import access

blueprint = ApiBlueprint("auth", __name__, url_prefix="/auth", description="Logging in and out")

LOGGED_OUT = {"success": True, "message": "Logged out everywhere"}


@blueprint.get("/me")
@require_user
@blueprint.response(200, UserSchema)
def get_me() -> User:
    """The player who owns the token."""
    return current_user()


@blueprint.get("/logout")
@public
@blueprint.response(200, LogoutSchema)
def log_out() -> dict[str, Any]:
    """Log out: the client deletes its token. The server stores nothing."""
    return {"success": True, "message": "Logged out successfully"}


@blueprint.post("/logout-all")
@require_user
@blueprint.response(200, LogoutSchema, example=LOGGED_OUT)
def log_out_everywhere() -> dict[str, Any]:
    """Log out everywhere: no token that was issued until now is valid any more, this one included.

    Open sockets become spectators within a second.
    """
    user_id = current_user().id
    number = access.log_out_everywhere(user_id=user_id, now=get_services().clock())
    current_realtime().make_spectators(user_id, before=number)
    return LOGGED_OUT
