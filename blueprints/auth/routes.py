"""/auth: the current player, logging out, and logging in: to a provider's login page and back."""

import logging
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Response, jsonify, request

from blueprints.api.auth import current_user, forbid_storing, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.auth.schemas import (
    ChallengeAnswerSchema,
    LogoutSchema,
    ProvidersSchema,
    TokenSchema,
    UserSchema,
)
from models.users import User
from server.current_services import get_services
from server.http.rate_limit import count_as
from server.http.response_headers import allow_cookies
from server.http.strict_requests import current_request
from server.realtime.realtime import current_realtime
from services.accounts import access
from services.accounts.login import devices
from services.accounts.login.flow import Login
from services.accounts.login.providers import ATTEMPT_MS, AnotherLogin, LoginFailed, ProviderUnavailable
from services.accounts.two_factor.service import CHALLENGE_MS, Challenge
from services.audit_trail.actor import Actor, acting_as
from services.shared.errors import AccountSuspended, Refusal

blueprint = ApiBlueprint("auth", __name__, url_prefix="/auth", description="Logging in and out")

LOGGED_OUT = {"success": True, "message": "Logged out everywhere"}

log = logging.getLogger("platform.login")
CHALLENGE, DEVICE = "challenge", "device"
DEVICE_SECONDS = 400 * 86_400
"""How long a browser keeps the cookie of its device after a login. Browsers allow no more."""

MOVED = "moved"
"""The parameter of a login that began on another host."""
FAILED, UNAVAILABLE, SUSPENDED = "login_failed", "provider_unavailable", "account_suspended"


@blueprint.get("/me")
@require_user
@blueprint.response(200, UserSchema)
def get_me() -> User:
    """The player who owns the token."""
    return current_user()


@blueprint.get("/logout")
@public
@blueprint.response(200, LogoutSchema)
def log_out() -> dict[str, Any]:
    """Log out: the client deletes its token. The server stores nothing."""
    return {"success": True, "message": "Logged out successfully"}


@blueprint.post("/logout-all")
@require_user
@blueprint.response(200, LogoutSchema, example=LOGGED_OUT)
def log_out_everywhere() -> dict[str, Any]:
    """Log out everywhere: no token that was issued until now is valid any more, this one included.

    Open sockets become spectators within a second.
    """
    user_id = current_user().id
    number = access.log_out_everywhere(user_id=user_id, now=get_services().clock())
    current_realtime().make_spectators(user_id, before=number)
    return LOGGED_OUT


login_blueprint = ApiBlueprint(
    "login", __name__, url_prefix="/auth", description="Logging in through a provider"
)
# URLs and Locations of a login contain secrets.
login_blueprint.after_request(forbid_storing)


def _redirects(description: str) -> dict[int, Any]:
    location = {"description": description, "schema": {"type": "string", "format": "uri"}}
    return {302: {"description": "Found", "headers": {"Location": location}}}


TO_PROVIDER = _redirects(
    "The provider's login; on another host than that of BASE_URL, first the same address there, with "
    f"?{MOVED}=1; or {{frontend_url}}?error={UNAVAILABLE}"
)
TO_FRONTEND = _redirects(
    "{frontend_url}?token=<JWT>; or, without a token, "
    f"?error={FAILED} when the login was refused or cancelled, ?error={UNAVAILABLE}, and "
    f"?error={SUSPENDED} when the account is suspended"
)


@login_blueprint.get("/providers")
@public
@login_blueprint.response(200, ProvidersSchema)
def list_login_providers() -> dict[str, str | None]:
    """Where to log in with each provider; null for one that is not configured."""
    services = get_services()
    base_url = f"{services.settings.base_url}/auth"
    return {
        "platform": f"{base_url}/platform",
        "identity": f"{base_url}/identity" if services.identity_login else None,
    }


@login_blueprint.get("/platform")
@count_as("login start")
@public
@login_blueprint.doc(responses=TO_PROVIDER)
def begin_platform_login() -> Response:
    """Redirect to the login page of the game platform."""
    return _begin(get_services().platform_login)


@login_blueprint.get("/platform/return")
@count_as("login return")
@public
@login_blueprint.doc(responses=TO_FRONTEND)
def finish_platform_login() -> Response:
    """Return from the game platform: redirect to the front end, with a token."""
    return _finish(get_services().platform_login)


@login_blueprint.get("/identity")
@count_as("login start")
@public
@login_blueprint.doc(responses=TO_PROVIDER)
@login_blueprint.alt_response(501)
def begin_identity_login() -> Response:
    """Redirect to the login page of the identity provider."""
    return _begin(_identity_login())


@login_blueprint.get("/identity/callback")
@count_as("login return")
@public
@login_blueprint.doc(responses=TO_FRONTEND)
@login_blueprint.alt_response(501)
def finish_identity_login() -> Response:
    """Return from the identity provider: redirect to the front end, with a token."""
    return _finish(_identity_login())


def _identity_login() -> Login:
    login = get_services().identity_login
    if login is None:
        raise Refusal("This login is not configured", status=501)
    return login


def _begin(login: Login) -> Response:
    base_url = get_services().settings.base_url
    # The provider sends the browser back to BASE_URL, where it has no cookie of another host. Sent there once
    # only: a proxy may rewrite the host of each request.
    is_elsewhere = urlsplit(request.host_url).hostname != urlsplit(base_url).hostname
    if is_elsewhere and MOVED not in request.args:
        return _redirect(f"{base_url}/auth/{login.name}?{MOVED}=1")
    try:
        address, cookie = login.begin(now=get_services().clock())
    except ProviderUnavailable as problem:
        return _refused(login, problem)
    response = _redirect(address)
    response.set_cookie(_cookie_name(login.name), cookie, max_age=ATTEMPT_MS // 1000, **_cookie_options())
    return response


def _finish(login: Login) -> Response:
    services, cookie_name = get_services(), _cookie_name(login.name)
    now, device = services.clock(), devices.known_or_new(request.cookies.get(_cookie_name(DEVICE)))
    try:
        # Nobody yet: the login says who, when the provider has.
        with acting_as(Actor(address=request.remote_addr)):
            query = list(request.args.items(multi=True))
            result = login.finish(
                query=query, cookie=request.cookies.get(cookie_name), device=device, now=now
            )
        if isinstance(result, Challenge):
            response = _challenged(result)
        else:
            # A new account has its first commitment from the beginning.
            services.seeds.announce_first(user_id=result.id)
            response = _to_frontend(token=services.tokens.issue(result, now=now))
    except AnotherLogin as problem:
        # The cookie belongs to a login that began later in another tab, and may still succeed.
        return _refused(login, problem)
    except (LoginFailed, ProviderUnavailable, AccountSuspended) as problem:
        response = _refused(login, problem)
    response.delete_cookie(cookie_name, **_cookie_options())
    response.set_cookie(_cookie_name(DEVICE), device, max_age=DEVICE_SECONDS, **_cookie_options())
    return response


@login_blueprint.post("/two-factor")
@public
@allow_cookies
@login_blueprint.arguments(ChallengeAnswerSchema)
@login_blueprint.response(200, TokenSchema)
@login_blueprint.alt_response(401)
@login_blueprint.alt_response(403)
def finish_login_with_code(body: dict[str, Any]) -> Response:
    """Exchange the challenge of a login in this browser, and a two-factor code, for a token.

    The browser must send the cookie that came with the challenge. A challenge works once, within five
    minutes.
    """
    services, cookie_name = get_services(), _cookie_name(CHALLENGE)
    now = services.clock()
    with acting_as(Actor(address=request.remote_addr)):
        user = services.two_factor.finish_login(
            challenge=body["challenge"],
            browser_secret=request.cookies.get(cookie_name),
            code=body["code"],
            now=now,
        )
    response = jsonify(token=services.tokens.issue(user, now=now))
    response.delete_cookie(cookie_name, **_challenge_cookie_options())
    return response


def _challenged(challenge: Challenge) -> Response:
    response = _to_frontend(challenge=challenge.text)
    response.set_cookie(
        _cookie_name(CHALLENGE),
        challenge.browser_secret,
        max_age=CHALLENGE_MS // 1000,
        **_challenge_cookie_options(),
    )
    return response


def _refused(login: Login, problem: LoginFailed | ProviderUnavailable | AccountSuspended) -> Response:
    extra = {"event": "login", "provider": login.name, "outcome": str(problem)}
    extra["request_id"] = current_request().id
    if isinstance(problem, ProviderUnavailable):
        log.warning("login", extra=extra, exc_info=problem.__cause__)
        return _to_frontend(error=UNAVAILABLE)
    log.info("login", extra=extra, exc_info=problem.__cause__)
    return _to_frontend(error=SUSPENDED if isinstance(problem, AccountSuspended) else FAILED)


def _to_frontend(**parameter: str) -> Response:
    address = get_services().settings.frontend_url
    separator = "&" if "?" in address else "?"
    return _redirect(f"{address}{separator}{urlencode(parameter)}")


def _redirect(address: str) -> Response:
    """A redirect without a body. Flask's own has a page that repeats the address and its token."""
    response = Response(status=302, headers={"Location": address})
    del response.headers["Content-Type"]
    return response


def _cookie_name(purpose: str) -> str:
    """Over https with a prefix that keeps other hosts of the same domain from setting the cookie."""
    return f"__Host-login_{purpose}" if _is_https() else f"login_{purpose}"


def _cookie_options() -> dict[str, Any]:
    # A __Host- cookie needs this path. The other one is the path that the browser sees, behind a proxy too.
    path = "/" if _is_https() else f"{urlsplit(get_services().settings.base_url).path}/auth"
    return {"path": path, "secure": _is_https(), "httponly": True, "samesite": "Lax"}


def _challenge_cookie_options() -> dict[str, Any]:
    """Over https the front end may be on another site: it sends the challenge back in a request of a page."""
    return _cookie_options() | {"samesite": "None" if _is_https() else "Lax"}


def _is_https() -> bool:
    return get_services().settings.base_url.startswith("https:")
