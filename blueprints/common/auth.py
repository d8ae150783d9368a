"""Who is calling: the bearer token of a request, and the policy that every route must state."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import g, request

from blueprints.common.platform import platform
from models.users import User
from services import users
from services.errors import PlatformError, PlayerGone, Unauthorized, UserNotFound
from services.tokens import Claims

View = TypeVar("View", bound=Callable[..., Any])

POLICY = "auth_policy"
SECURITY = [{"bearer": []}]


def public(view: View) -> View:
    """Anybody may call this; a token, good or bad, makes no difference."""
    setattr(view, POLICY, "public")
    return view


def require_user(view: View) -> Callable[..., Any]:
    """Only with a good token of a player who is there; else 401 before anything else is looked at."""
    return _require(view, gone=Unauthorized)


def require_profile(view: View) -> Callable[..., Any]:
    """Like ``require_user``, but a good token of a player who is gone is 400 ``User not found``."""
    return _require(view, gone=PlayerGone)


def require_user_else(refusal: type[Unauthorized]) -> Callable[[View], Callable[..., Any]]:
    """Like ``require_user``, with a 401 of this area's own."""
    return lambda view: _require(view, gone=refusal, stranger=refusal)


def _require(
    view: View, *, gone: type[PlatformError], stranger: type[Unauthorized] = Unauthorized
) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            g.user = _caller(gone)
        except Unauthorized:
            raise stranger from None
        return view(*args, **kwargs)

    setattr(wrapper, POLICY, "user")
    return wrapper


def current_user() -> User:
    """The player who called a view behind ``require_user`` or ``require_profile``."""
    user: User = g.user
    return user


def caller_claims() -> Claims:
    """What the request's token says, checked once a request. Raises Unauthorized."""
    if "claims" not in g:
        services = platform()
        g.claims = services.tokens.check(_bearer_token(), now=services.clock())
    claims: Claims = g.claims
    return claims


def _caller(gone: type[PlatformError]) -> User:
    try:
        return users.get(platform_id=caller_claims().platform_id)
    except UserNotFound:
        raise gone from None


def _bearer_token() -> str:
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized
    return token.strip()
