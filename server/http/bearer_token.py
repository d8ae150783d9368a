"""The bearer token of a request."""

from flask import request

from server.current_services import get_services
from services.accounts.tokens import Claims
from services.shared.errors import Unauthorized


def current_claims() -> Claims:
    """The claims of the request's bearer token. Raises Unauthorized."""
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized
    services = get_services()
    return services.tokens.check(token.strip(), now=services.clock())
