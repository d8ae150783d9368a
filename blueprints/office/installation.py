"""Adds the back office to an app: cookie, CSRF tokens, sign-in, networks and pages."""

from ipaddress import ip_address, ip_network
from typing import Any

from flask import Flask, Request, request, request_started
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from werkzeug.exceptions import NotFound

from blueprints.office import (  # noqa: F401  # importing a module adds its views to the blueprint
    accounts,
    alarms,
    audit_trail,
    battles,
    case_form,
    cases,
    imports,
    items,
    overview,
    page_context,
    payments,
    player,
    player_forms,
    players,
    prizes,
    proposals,
    reports,
    sign_in,
    staff,
    withdrawals,
)
from blueprints.office.access import login_manager
from blueprints.office.blueprint import csrf, office
from services.shared.encryption import derive_key
from settings import Settings

PATH = "/office"
PURPOSE = "cookies of the office"


class OfficeCookie(SecureCookieSessionInterface):
    """Flask's signed cookie, for the paths of the back office only.

    It has the text of the session's row, and that of the CSRF tokens. Requests of the API neither read nor
    write it, so their responses never vary by it.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        return super().open_session(app, request) if request.path.startswith(f"{PATH}/") else None


def install_office(app: Flask, settings: Settings) -> None:
    """Serve the pages at /office/. The rest of the app gets no hook that reads its cookies."""
    _use_cookie(app, settings)
    app.config.update(
        # The blueprint checks its own forms.
        WTF_CSRF_CHECK_DEFAULT=False,
        # A token is valid as long as the cookie that it belongs to.
        WTF_CSRF_TIME_LIMIT=None,
        # Pages send no Referer header. The cookie is SameSite=Strict.
        WTF_CSRF_SSL_STRICT=False,
    )
    csrf.init_app(app)
    # Not init_app, which would read the session after each request of the API, for a cookie that the back
    # office does not have ("remember me").
    app.login_manager = login_manager  # type: ignore[attr-defined]
    if settings.office_networks:
        _refuse_other_networks(app, settings.office_networks)
    app.register_blueprint(office)


def _refuse_other_networks(app: Flask, allowed: tuple[str, ...]) -> None:
    """Treat what other addresses ask of the back office as a path that does not exist, also in limits."""
    networks = [ip_network(network) for network in allowed]

    def hide(_app: Flask) -> None:
        if request.path != PATH and not request.path.startswith(f"{PATH}/"):
            return
        try:
            address = ip_address(request.remote_addr or "")
        except ValueError:
            # Such as that of a Unix socket.
            address = None
        if address is None or not any(address in network for network in networks):
            request.url_rule = None
            request.routing_exception = NotFound()

    # Before all hooks: those of the blueprint, too, must not see the request.
    request_started.connect(hide, app, weak=False)


def _use_cookie(app: Flask, settings: Settings) -> None:
    """Sign cookies with a key of their own, and send them to the back office only."""
    keys: Any = [
        derive_key(key, PURPOSE).hex() for key in (settings.secret_key, *settings.previous_secret_keys)
    ]
    app.session_interface = OfficeCookie()
    app.config.update(
        SECRET_KEY=keys[0],
        SECRET_KEY_FALLBACKS=keys[1:],
        SESSION_COOKIE_NAME="office",
        SESSION_COOKIE_PATH=PATH,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SECURE=settings.base_url.startswith("https:"),
        SESSION_COOKIE_SAMESITE="Strict",
    )
