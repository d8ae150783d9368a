"""Two-factor codes for sensitive actions: the header ``X-2FA-Code``.

A code is checked after the token and before the rest of the request, so put these between the two:

    @blueprint.post("/claim")
    @require_user
    @require_two_factor
    @blueprint.response(200, ClaimSchema)
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import request

from blueprints.api.auth import current_user
from server.current_services import current_claims, get_services

View = TypeVar("View", bound=Callable[..., Any])

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
    return _require(view, lambda: True)


def require_two_factor_for(action: str) -> Callable[[View], Callable[..., Any]]:
    """Require a code from players with 2FA, if TWO_FACTOR_REQUIRED_FOR names this action."""
    return lambda view: _require(view, lambda: action in get_services().settings.two_factor_required_for)


def _require(view: View, is_required: Callable[[], bool]) -> Callable[..., Any]:
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if is_required():
            confirm_two_factor()
        return view(*args, **kwargs)

    return may_require_two_factor(wrapper)
