"""Adds the back office to an app: cookie, CSRF tokens, sign-in, networks and pages."""

from ipaddress import ip_address, ip_network

from flask import Flask, abort, g, request

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
    """Answer 404 to other addresses, as if there were no back office."""
    networks = [ip_network(network) for network in allowed]

    @app.before_request
    def refuse() -> None:
        if request.path != PATH and not request.path.startswith(f"{PATH}/"):
            return
        try:
            address = ip_address(request.remote_addr or "")
        except ValueError:
            # Such as that of a Unix socket.
            address = None
        if address is None or not any(address in network for network in networks):
            g.is_hidden = True
            abort(404)
