"""Authentication: the policy that every route must state, the player of a request, and two-factor codes.

A code is checked after the token and before the rest of the request, so put these between the two:

    @blueprint.post("/claim")
    @require_user
    @require_two_factor
    @blueprint.response(200, ClaimSchema)
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Response, after_this_request, g, request

from models.callers import Caller
from server.current_services import current_claims, get_services
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


def current_user() -> Caller:
    """The player who called a view behind ``require_user`` or ``require_profile``."""
    user: Caller = g.user
    return user


HEADER = "X-2FA-Code"
DOCUMENTED = "two_factor_header"
"""The attribute of a view that may ask for the header. The blueprint documents it."""


def confirm_two_factor() -> None:
    """Require a code in the header, unless the player has no 2FA or a code covers the token.

    Call it in a view, before and not within a transaction. Raises Refusal for a missing code, InvalidCode,
    TooManyWrongCodes, SecretLost.
    """
    user = current_user()
    if user.two_factor_enabled:
        services = get_services()
        services.two_factor.confirm(
            user_id=user.id,
            token_id=current_claims().token_id,
            code=request.headers.get(HEADER),
            now=services.clock(),
        )


def may_require_two_factor(view: View) -> View:
    """Document the header at a view that calls ``confirm_two_factor`` itself."""
    setattr(view, DOCUMENTED, True)
    return view


def require_two_factor(view: View) -> Callable[..., Any]:
    """Require a code from players with 2FA."""
    return _require_code(view)


def require_two_factor_for(action: str) -> Callable[[View], Callable[..., Any]]:
    """Require a code from players with 2FA, if TWO_FACTOR_REQUIRED_FOR names this action."""
    return lambda view: _require_code(view, action)


def _require_code(view: View, action: str | None = None) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if action is None or action in get_services().settings.two_factor_required_for:
            confirm_two_factor()
        return view(*args, **kwargs)

    return may_require_two_factor(wrapper)
