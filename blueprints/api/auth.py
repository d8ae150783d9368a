"""Authentication: the policy that every route must state, and the player of a request."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Response, after_this_request, g, request

from models.users import User
from server.current_services import current_claims
from services.accounts import access
from services.audit_trail.actor import Actor, acting_as
from services.shared.errors import Unauthorized, UserNotFound

View = TypeVar("View", bound=Callable[..., Any])

POLICY = "auth_policy"


def public(view: View) -> View:
    """Let anybody call this view. A token, valid or not, makes no difference."""
    setattr(view, POLICY, "public")
    return view


def require_user(view: View) -> Callable[..., Any]:
    """Require a valid token of an existing player; answer 401 before anything else is checked.

    A token that was revoked is 401 too, and the token of a suspended player 403.
    """
    return _require(view)


def require_profile(view: View) -> Callable[..., Any]:
    """Like ``require_user``, but a valid token without its player is 400 ``User not found``."""
    return _require(view, is_profile=True)


def require_user_else(text: str) -> Callable[[View], Callable[..., Any]]:
    """Like ``require_user``, with this text for 401."""
    return lambda view: _require(view, text=text)


def _require(view: View, *, text: str = Unauthorized.text, is_profile: bool = False) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            claims = current_claims()
            user = access.player_of(claims)
        except Unauthorized:
            raise Unauthorized(text) from None
        except UserNotFound:
            if is_profile:
                raise UserNotFound(status=400) from None
            raise Unauthorized(text) from None
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
