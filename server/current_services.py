"""The services of the running app, and the claims of a request's token."""

from typing import cast

from flask import current_app, request

from services.accounts.access import Claims
from services.container import Services
from services.shared.errors import Unauthorized


def get_services() -> Services:
    """The services of the current app, for views, handlers and commands."""
    return cast("Services", current_app.extensions["services"])


def current_claims() -> Claims:
    """The claims of the request's bearer token. Raises Unauthorized."""
    scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized
    services = get_services()
    return services.tokens.check(token.strip(), now=services.clock())
