"""Who is calling: the bearer token of a request, and the policy that every route must state."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Response, after_this_request, g

from models.users import User
from server.http.bearer_token import current_claims
from services.accounts import users
from services.shared.errors import PlatformError, PlayerGone, Unauthorized, UserNotFound

View = TypeVar("View", bound=Callable[..., Any])

POLICY = "auth_policy"


def public(view: View) -> View:
    """Let anybody call this view. A token, good or bad, makes no difference."""
    setattr(view, POLICY, "public")
    return view


def require_user(view: View) -> Callable[..., Any]:
    """Require a good token of an existing player; answer 401 before anything else is checked."""
    return _require(view, gone=Unauthorized)


def require_profile(view: View) -> Callable[..., Any]:
    """Like ``require_user``, but a good token without its player is 400 ``User not found``."""
    return _require(view, gone=PlayerGone)


def require_user_else(refusal: type[Unauthorized]) -> Callable[[View], Callable[..., Any]]:
    """Like ``require_user``, with a 401 of the area's own."""
    return lambda view: _require(view, gone=refusal, stranger=refusal)


def _require(
    view: View, *, gone: type[PlatformError], stranger: type[Unauthorized] = Unauthorized
) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            g.user = users.get(platform_id=current_claims().platform_id)
        except Unauthorized:
            raise stranger from None
        except UserNotFound:
            raise gone from None
        after_this_request(forbid_storing)
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
