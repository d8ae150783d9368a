"""The bearer token of a request."""

from server.current_services import get_services
from server.http.strict_requests import current_request
from services.accounts.access import Claims
from services.shared.errors import Unauthorized


def current_claims() -> Claims:
    """The claims of the request's bearer token. Raises Unauthorized."""
    scheme, _, token = current_request().environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized
    services = get_services()
    return services.tokens.check(token.strip(), now=services.clock())
