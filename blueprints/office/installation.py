"""Adds the back office to an app: cookie, CSRF tokens, sign-in, networks and pages."""

from ipaddress import ip_address, ip_network

from flask import Flask, request, request_started
from werkzeug.exceptions import NotFound

from blueprints.office import pages
from blueprints.office.access import login_manager
from blueprints.office.blueprint import csrf
from blueprints.office.cookie import PATH, use_cookie
from settings import Settings


def install_office(app: Flask, settings: Settings) -> None:
    """Serve the pages at /office/. The rest of the app gets no hook that reads its cookies."""
    use_cookie(app, settings)
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
    app.register_blueprint(pages.office)


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
