"""Authentication: the policy that every route must state, and the player of a request."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Response, after_this_request, g, request

from models.users import User
from server.http.bearer_token import current_claims
from services.accounts import access
from services.audit_trail.actor import Actor, acting_as
from services.shared.errors import Refusal, Unauthorized, UserNotFound

View = TypeVar("View", bound=Callable[..., Any])

POLICY = "auth_policy"


class ProfileNotFound(UserNotFound):
    """The token is valid, but its player no longer exists; under /profile the status of this is 400."""

    status = 400


def public(view: View) -> View:
    """Let anybody call this view. A token, valid or not, makes no difference."""
    setattr(view, POLICY, "public")
    return view


def require_user(view: View) -> Callable[..., Any]:
    """Require a valid token of an existing player; answer 401 before anything else is checked.

    A token that was revoked is 401 too, and the token of a suspended player 403.
    """
    return _require(view, without_player=Unauthorized)


def require_profile(view: View) -> Callable[..., Any]:
    """Like ``require_user``, but a valid token without its player is 400 ``User not found``."""
    return _require(view, without_player=ProfileNotFound)


def require_user_else(refusal: type[Unauthorized]) -> Callable[[View], Callable[..., Any]]:
    """Like ``require_user``, with this error for 401."""
    return lambda view: _require(view, without_player=refusal, without_token=refusal)


def _require(
    view: View, *, without_player: type[Refusal], without_token: type[Unauthorized] = Unauthorized
) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            claims = current_claims()
            user = access.player_of(claims)
        except Unauthorized:
            raise without_token from None
        except UserNotFound:
            raise without_player from None
        access.check_not_suspended(user)
        g.user = user
        after_this_request(forbid_storing)
        with acting_as(Actor(user.platform_id, request.remote_addr, claims.token_number)):
            return view(*args, **kwargs)

    setattr(wrapper, POLICY, "user")
    return wrapper


def forbid_storing(response: Response) -> Response:
    """Keep browsers and caches from storing a response that is only for its client."""
    response.headers["Cache-Control"] = "no-store"
    return response


def current_user() -> User:
    """The player who called a view behind ``require_user`` or ``require_profile``."""
    user: User = g.user
    return user
