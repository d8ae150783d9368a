"""/auth: the current player, logging out, logging in: to a provider's login page and back, linking logins."""

import logging
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Response, jsonify, request

from blueprints.api.auth import (
    current_user,
    forbid_storing,
    public,
    require_two_factor_for,
    require_user,
)
from blueprints.api.blueprint import ApiBlueprint
from blueprints.auth.schemas import (
    ChallengeAnswerSchema,
    LinkAnswerSchema,
    LinkSchema,
    LogoutSchema,
    ProvidersSchema,
    TokenSchema,
    UserSchema,
)
from models.callers import Caller
from models.logins import LoginProvider
from server.current_services import get_services
from server.http.rate_limit import count_as
from server.http.response_headers import allow_cookies
from server.http.strict_requests import current_request
from server.realtime.realtime import current_realtime
from server.schemas import SuccessSchema
from services.accounts import access, logins
from services.accounts.login import devices
from services.accounts.login.flow import Linked, Login
from services.accounts.login.providers import (
    ATTEMPT_MS,
    LINK_MS,
    LINK_STATE,
    AnotherLogin,
    LoginFailed,
    ProviderUnavailable,
)
from services.accounts.logins import AlreadyLinked, LoginNotFound, LoginRemoved
from services.accounts.two_factor.service import CHALLENGE_MS, Challenge
from services.audit_trail.actor import Actor, acting_as
from services.shared.errors import AccountClosed, AccountSuspended, Refusal, Unavailable
from sockets.logins import login_changes

blueprint = ApiBlueprint("auth", __name__, url_prefix="/auth", description="Logging in and out")

LOGGED_OUT = {"success": True, "message": "Logged out everywhere"}

log = logging.getLogger("platform.login")
CHALLENGE, DEVICE = "challenge", "device"
DEVICE_SECONDS = 400 * 86_400
"""How long a browser keeps the cookie of its device after a login. Browsers allow no more."""

MOVED = "moved"
"""The parameter of a login that began on another host."""
FAILED, UNAVAILABLE, SUSPENDED = "login_failed", "provider_unavailable", "account_suspended"
CLOSED = "account_closed"
REMOVED, ALREADY_LINKED, LINK_FAILED = "login_removed", "already_linked", "link_failed"

Problem = LoginFailed | ProviderUnavailable | AccountSuspended | LoginRemoved | AlreadyLinked
ERRORS = {
    LoginFailed: FAILED,
    ProviderUnavailable: UNAVAILABLE,
    AccountSuspended: SUSPENDED,
    AccountClosed: CLOSED,
    LoginRemoved: REMOVED,
    AlreadyLinked: ALREADY_LINKED,
}
"""What the front end is told of a problem."""


@blueprint.get("/me")
@require_user
@blueprint.response(200, UserSchema)
def get_me() -> Caller:
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
    f"?error={FAILED} when the login was refused or cancelled, ?error={UNAVAILABLE}, "
    f"?error={SUSPENDED} when the account is suspended, ?error={CLOSED} when its player has closed it, and "
    f"?error={REMOVED} when the login was removed from "
    f"its account; after POST /auth/link ?linked= and the provider, ?error={ALREADY_LINKED} when the login "
    f"belongs to another account, or ?error={LINK_FAILED}"
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


@login_blueprint.post("/link")
@count_as("login start")
@require_user
@require_two_factor_for("link-login")
@allow_cookies
@login_blueprint.arguments(LinkSchema)
@login_blueprint.response(200, LinkAnswerSchema)
@login_blueprint.alt_response(501)
@login_blueprint.alt_response(503)
def link_login(body: dict[str, Any]) -> Response:
    """Begin to link a login with a provider to the caller's account: open `url` in this browser.

    The browser must keep the cookie of this answer. The link must be completed within five minutes, and works
    once. It ends at `{frontend_url}?linked=` and the provider.
    """
    login = _login_with(body["provider"])
    try:
        address, cookie = login.begin_link(current_user(), now=get_services().clock())
    except ProviderUnavailable as problem:
        _log(login, problem)
        raise Unavailable("The provider can't be reached") from None
    response = jsonify(success=True, url=address)
    response.set_cookie(
        _cookie_name(login.name), cookie, max_age=LINK_MS // 1000, **_cookie_options_for_pages()
    )
    return response


@login_blueprint.delete("/link/<provider>")
@require_user
@require_two_factor_for("link-login")
@login_blueprint.response(200, SuccessSchema)
@login_blueprint.alt_response(404)
def remove_login(provider: str) -> dict[str, Any]:
    """Remove the caller's login with this provider, `platform` or `identity`. One must be left."""
    services, user_id = get_services(), current_user().id
    if provider not in list(LoginProvider):
        raise LoginNotFound
    usable = [login.name for login in (services.platform_login, services.identity_login) if login]
    logins.remove(user_id=user_id, provider=LoginProvider(provider), usable=usable, now=services.clock())
    login_changes().send(user_id, logins.of_player(user_id))
    return {"success": True}


def _login_with(provider: object) -> Login:
    """The login with the provider of a body. Raises Refusal."""
    if provider == LoginProvider.PLATFORM:
        return get_services().platform_login
    if provider == LoginProvider.IDENTITY:
        return _identity_login()
    raise Refusal("Unknown provider")


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
        elif isinstance(result, Linked):
            login_changes().send(result.user_id, logins.of_player(result.user_id))
            response = _to_frontend(linked=login.name)
        else:
            # A new account has its first commitment from the beginning.
            services.seeds.announce_first(user_id=result.id)
            response = _to_frontend(token=services.tokens.issue(result, now=now))
    except AnotherLogin as problem:
        # The cookie belongs to a login that began later in another tab, and may still succeed.
        return _refused(login, problem)
    except (LoginFailed, ProviderUnavailable, AccountSuspended, LoginRemoved, AlreadyLinked) as problem:
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
    response.delete_cookie(cookie_name, **_cookie_options_for_pages())
    return response


def _challenged(challenge: Challenge) -> Response:
    response = _to_frontend(challenge=challenge.text)
    response.set_cookie(
        _cookie_name(CHALLENGE),
        challenge.browser_secret,
        max_age=CHALLENGE_MS // 1000,
        **_cookie_options_for_pages(),
    )
    return response


def _refused(login: Login, problem: Problem) -> Response:
    _log(login, problem)
    return _to_frontend(error=_error_of(problem))


def _error_of(problem: Problem) -> str:
    # By the address, because the cookie may be missing.
    is_link = request.args.get("state", "").startswith(LINK_STATE)
    if is_link and not isinstance(problem, AlreadyLinked):
        return LINK_FAILED
    return ERRORS.get(type(problem), FAILED)


def _log(login: Login, problem: Problem) -> None:
    extra = {"event": "login", "provider": login.name, "outcome": str(problem)}
    extra["request_id"] = current_request().id
    level = logging.WARNING if isinstance(problem, ProviderUnavailable) else logging.INFO
    log.log(level, "login", extra=extra, exc_info=problem.__cause__)


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


def _cookie_options_for_pages() -> dict[str, Any]:
    """Over https the front end, whose requests set or send the cookie, may be on another site."""
    return _cookie_options() | {"samesite": "None" if _is_https() else "Lax"}


def _is_https() -> bool:
    return get_services().settings.base_url.startswith("https:")
