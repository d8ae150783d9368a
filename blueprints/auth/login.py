"""/auth/platform and /auth/identity: to a provider's login and back."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Response, after_this_request, request

from blueprints.auth.schemas import ProvidersSchema
from blueprints.common.auth import public
from blueprints.common.blueprint import Area
from blueprints.common.errors import ErrorSchema
from blueprints.common.failures import describe
from blueprints.common.logs import request_id
from blueprints.common.platform import platform
from services.login.attempts import ATTEMPT_SECONDS
from services.login.errors import AnotherLogin, LoginFailed, ProviderUnavailable
from services.login.login import Login

log = logging.getLogger("platform.login")

blueprint = Area("login", __name__, url_prefix="/auth", description="Logging in through a provider")

FAILED, UNAVAILABLE = "login_failed", "provider_unavailable"


def _redirects(description: str) -> dict[int, Any]:
    location = {"description": description, "schema": {"type": "string", "format": "uri"}}
    return {302: {"description": "Found", "headers": {"Location": location}}}


TO_PROVIDER = _redirects(f"The provider's login, or {{frontend_url}}?error={UNAVAILABLE}")
TO_FRONTEND = _redirects(
    "{frontend_url}?token=<JWT>; or, without a token, "
    f"?error={FAILED} when the login was refused or cancelled, and ?error={UNAVAILABLE}"
)


@blueprint.get("/providers")
@public
@blueprint.response(200, ProvidersSchema)
def providers() -> dict[str, str | None]:
    """Where to log in with each provider; null for one that is not configured."""
    services = platform()
    logins = {"platform": services.platform_login, "identity": services.identity_login}
    return {
        name: f"{services.settings.base_url}/auth/{name}" if login.is_configured else None
        for name, login in logins.items()
    }


@blueprint.get("/platform")
@public
@blueprint.doc(responses=TO_PROVIDER)
def begin_platform() -> Response:
    """To the login of the game platform."""
    return _begin(platform().platform_login, provider="platform")


@blueprint.get("/platform/return")
@public
@blueprint.doc(responses=TO_FRONTEND)
@blueprint.alt_response(503, schema=ErrorSchema)
def finish_platform() -> Response:
    """Back from the game platform: to the front end, with a token."""
    return _finish(platform().platform_login, provider="platform")


@blueprint.get("/identity")
@public
@blueprint.doc(responses=TO_PROVIDER)
@blueprint.alt_response(501, schema=ErrorSchema)
def begin_identity() -> Response:
    """To the login of the general identity provider."""
    return _begin(platform().identity_login, provider="identity")


@blueprint.get("/identity/callback")
@public
@blueprint.doc(responses=TO_FRONTEND)
@blueprint.alt_response(501, schema=ErrorSchema)
@blueprint.alt_response(503, schema=ErrorSchema)
def finish_identity() -> Response:
    """Back from the identity provider: to the front end, with a token."""
    return _finish(platform().identity_login, provider="identity")


def _begin(login: Login, *, provider: str) -> Response:
    after_this_request(_kept_private)
    services = platform()
    try:
        beginning = login.begin(now=services.clock())
    except ProviderUnavailable as problem:
        return _unavailable(problem, provider=provider)
    response = _redirect(beginning.address)
    response.set_cookie(_cookie(provider), beginning.sealed, max_age=ATTEMPT_SECONDS, **_cookie_options())
    return response


def _finish(login: Login, *, provider: str) -> Response:
    after_this_request(_kept_private)
    services = platform()
    with ExitStack() as end:
        end.callback(after_this_request, _forgetting(_cookie(provider)))
        try:
            token = login.finish(
                query=request.args.items(multi=True),
                sealed=request.cookies.get(_cookie(provider)),
                now=services.clock(),
            )
        except AnotherLogin as problem:
            # Begun later, in another tab: that one goes on.
            end.pop_all()
            return _failed(problem, provider=provider)
        except LoginFailed as problem:
            return _failed(problem, provider=provider)
        except ProviderUnavailable as problem:
            return _unavailable(problem, provider=provider)
    return _to_frontend(token=token)


def _failed(problem: LoginFailed, *, provider: str) -> Response:
    log.info("login", extra=_told(problem, provider))
    return _to_frontend(error=FAILED)


def _unavailable(problem: ProviderUnavailable, *, provider: str) -> Response:
    log.warning("login", extra=_told(problem, provider))
    return _to_frontend(error=UNAVAILABLE)


def _told(problem: Exception, provider: str) -> dict[str, str]:
    """What the log is told of a login that did not work: fixed texts, and where a cause came from."""
    told = {"event": "login", "provider": provider, "request_id": request_id(), "outcome": str(problem)}
    return told | ({"failure": describe(problem)} if problem.__cause__ else {})


def _to_frontend(**parameter: str) -> Response:
    address = platform().settings.frontend_url
    joint = "&" if "?" in address else "?"
    return _redirect(f"{address}{joint}{urlencode(parameter)}")


def _redirect(address: str) -> Response:
    """A redirect without a body: the framework's would repeat the address, token and all, as a page."""
    response = Response(status=302, headers={"Location": address})
    del response.headers["Content-Type"]
    return response


def _kept_private(response: Response) -> Response:
    """Don't store a response whose URL or Location contains a secret."""
    response.headers["Cache-Control"] = "no-store"
    return response


def _forgetting(cookie: str) -> Callable[[Response], Response]:
    """However a login ends, its cookie ends with it, unless another one came back."""

    def forget(response: Response) -> Response:
        response.delete_cookie(cookie, **_cookie_options())
        return response

    return forget


def _cookie(provider: str) -> str:
    """Over https a name that browsers let no other host below the domain give to a cookie."""
    return f"__Host-login_{provider}" if _is_https() else f"login_{provider}"


def _cookie_options() -> dict[str, Any]:
    # Such a name demands this path. Else as the browser sees it: a proxy may have this service below a path.
    path = "/" if _is_https() else f"{urlsplit(platform().settings.base_url).path}/auth"
    return {"path": path, "secure": _is_https(), "httponly": True, "samesite": "Lax"}


def _is_https() -> bool:
    return platform().settings.base_url.startswith("https:")
