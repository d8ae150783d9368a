"""The bearer token of a request."""

from server.current_services import get_services
from server.http.strict_requests import current_request
from services.accounts.tokens import Claims
from services.shared.errors import Unauthorized


def current_claims() -> Claims:
    """The claims of the request's bearer token, checked once. Raises Unauthorized."""
    request = current_request()
    if request.claims is None:
        scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unauthorized
        services = get_services()
        request.claims = services.tokens.check(token.strip(), now=services.clock())
    return request.claims
