"""Who is calling: the bearer token of a request, and the policy that every route must state."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from flask import g, request

from blueprints.common.platform import platform
from models.users import User
from services import users
from services.errors import PlatformError, PlayerGone, Unauthorized, UserNotFound
from services.platform import Platform
from services.tokens import Claims

View = TypeVar("View", bound=Callable[..., Any])

POLICY = "auth_policy"


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
            g.is_private = True
        except Unauthorized:
            raise stranger from None
        return view(*args, **kwargs)

    setattr(wrapper, POLICY, "user")
    return wrapper


def current_user() -> User:
    """The player who called a view behind ``require_user`` or ``require_profile``."""
    user: User = g.user
    return user


def claims_of(environ: Mapping[str, Any], services: Platform) -> Claims:
    """What a request's token says. Raises Unauthorized."""
    return services.tokens.check(_bearer_token(environ), now=services.clock())


def _caller(gone: type[PlatformError]) -> User:
    try:
        return users.get(platform_id=claims_of(request.environ, platform()).platform_id)
    except UserNotFound:
        raise gone from None


def _bearer_token(environ: Mapping[str, Any]) -> str:
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized
    return str(token.strip())
