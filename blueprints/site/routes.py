"""/: the built-in page, /verify: the page that recomputes a bet.

Also what only the built-in page and the demo of payments need.
"""

import re
from functools import partial
from http import HTTPStatus
from pathlib import Path

from flask import Blueprint, Response, abort, jsonify, make_response, render_template, request

from blueprints.api.auth import current_user, forbid_storing, public, require_user
from blueprints.api.caching import conditional
from blueprints.api.qr_code import qr_code
from blueprints.site.assets import FILES, asset, bundle, modules_of
from models.logins import LoginProvider
from models.payments import Deposit
from server.current_services import get_services
from server.http.rate_limit import count_as
from server.http.response_headers import hash_sources
from services.accounts import access
from services.accounts.login.demo import PEOPLE, return_url
from services.accounts.logins import NAMES
from services.audit_trail.actor import Actor, acting_as
from services.demo import seed as demo
from services.payments import rows
from services.payments.errors import PaymentNotFound

blueprint = Blueprint("site", __name__, template_folder="templates")
blueprint.add_url_rule("/assets/<path:filename>", view_func=asset)

# The addresses of the pages in static/routes.js, whose document is the same.
PAGES = (
    "/",
    "/cases",
    "/new-case",
    "/cases/<id>",
    "/battles",
    "/new-battle",
    "/battles/<id>",
    "/rewards",
    "/live",
    "/ranking",
    "/fair",
    "/public-log",
    "/account",
    "/account/cashier",
    "/account/payments",
    "/account/bets",
    "/account/prizes",
    "/account/vault",
    "/account/referrals",
    "/account/notifications",
    "/account/profile",
    "/account/details",
    "/account/limits",
    "/account/security",
)

# At the addresses of these pages programs find an endpoint.
PAGES_OF_ENDPOINTS = {
    "battles.list_battles": "/battles",
    "battles.get_battle": "/battles/<id>",
    "rewards.get_rewards": "/rewards",
}
OWN_PAGES = [path for path in PAGES if path not in PAGES_OF_ENDPOINTS.values()]

MODULES = modules_of("app.js")

# Pictures of items may be at any host. 'self' includes the socket.
SECURITY_POLICY = (
    "default-src 'self'; img-src * data:; connect-src 'self'; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)

# A saved copy of /verify stands alone, so it contains its modules, and the curves for beacons as a global.
CURVES = (FILES / "vendor/noble-curves-2.4.0/bls12-381.min.js").read_text(encoding="utf-8")
VERIFY_PAGE = Path(__file__).with_name("verify.html").read_text(encoding="utf-8")
VERIFY_PAGE = VERIFY_PAGE.replace("// verify.js\n", bundle("verify.js"))
VERIFY_PAGE = VERIFY_PAGE.replace(
    "// curves\n", re.sub(r"export\{(\w+) as bls12_381\};", r"globalThis.bls12_381=\1;", CURVES)
)

# The page can't connect to anything, so seeds that a player types stay in the browser.
VERIFY_POLICY = (
    f"default-src 'none'; script-src {hash_sources('script', VERIFY_PAGE)};"
    f" style-src {hash_sources('style', VERIFY_PAGE)}; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)

UNAVAILABLE_PAGE = Path(__file__).with_name("unavailable.html").read_text(encoding="utf-8")

# deploy/nginx.conf sends the same.
UNAVAILABLE_POLICY = (
    f"default-src 'none'; connect-src 'self'; script-src {hash_sources('script', UNAVAILABLE_PAGE)};"
    f" style-src {hash_sources('style', UNAVAILABLE_PAGE)}; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)


def wants_page() -> bool:
    """Whether the client is a browser that opens an address: programs take JSON, or anything."""
    return request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"


@blueprint.after_request
def show_page_while_unavailable(response: Response) -> Response:
    """In place of the JSON of a 503, browsers get a page that tries again."""
    if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE and wants_page():
        response.set_data(UNAVAILABLE_PAGE)
        response.mimetype = "text/html"
        response.headers["Content-Security-Policy"] = UNAVAILABLE_POLICY
    return response


@blueprint.after_app_request
def show_page_at_unknown_addresses(response: Response) -> Response:
    """In place of the JSON of a 404, browsers get a page with a way home."""
    is_unknown = response.status_code == HTTPStatus.NOT_FOUND and request.url_rule is None
    if is_unknown and wants_page():
        response.set_data(render_template("not-found.html"))
        response.mimetype = "text/html"
        response.headers["Content-Security-Policy"] = SECURITY_POLICY
    return response


@blueprint.after_request
def set_security_policy(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", SECURITY_POLICY)
    return response


@public
@conditional
def page(**_parameters: str) -> str:
    """The document of every page. Browsers revalidate it, so that its files are of the same version."""
    settings = get_services().settings
    demo_code = None if settings.production else demo.promo_code()
    return render_template("index.html", modules=MODULES, settings=settings, demo_code=demo_code)


for path in OWN_PAGES:
    blueprint.add_url_rule(path, view_func=page)


@blueprint.before_app_request
def show_page_of_an_endpoint() -> Response | None:
    """Browsers that open the address of an endpoint get the page of its content in place of JSON."""
    if request.endpoint not in PAGES_OF_ENDPOINTS or not wants_page():
        return None
    response = make_response(page())
    response.headers["Content-Security-Policy"] = SECURITY_POLICY
    return response


@blueprint.after_app_request
def tell_pages_and_endpoints_apart(response: Response) -> Response:
    """Caches must not answer a browser with what a program got."""
    if request.endpoint in PAGES_OF_ENDPOINTS:
        response.vary.add("Accept")
    return response


@blueprint.get("/verify")
@public
@conditional
def verify() -> Response:
    """A page that recomputes a bet without the server. Its values come in the URL's fragment."""
    return Response(VERIFY_PAGE, headers={"Content-Security-Policy": VERIFY_POLICY}, mimetype="text/html")


@blueprint.get("/qr-codes/deposits/<deposit_id>")
@count_as("costly read")
@require_user
def qr_code_of_deposit(deposit_id: str) -> dict[str, str]:
    """The QR code of the checkout URL of one of the caller's deposits.

    It takes an id and not a text, so that nobody can have a QR code of their own address made here.
    """
    deposit = rows.get(Deposit, deposit_id, user_id=current_user().id)
    if deposit.checkout_url is None:
        raise PaymentNotFound
    return {"qrCode": qr_code(deposit.checkout_url)}


@blueprint.post("/demo/session")
@count_as("login start")
@public
def sign_in_demo_player() -> Response:
    """A token of the demo player, as ``flask demo`` has one in its address; 404 in production."""
    services = get_services()
    if services.settings.production:
        abort(HTTPStatus.NOT_FOUND)
    with acting_as(Actor(address=request.remote_addr)):
        user, token = demo.sign_in(services, now=services.clock())
    access.check_not_suspended(user)
    return forbid_storing(jsonify(token=token))


@blueprint.get("/demo-login/<provider>")
@public
def demo_login(provider: str) -> str:
    """The login page of ``DEMO_LOGINS``; 404 without them."""
    settings = get_services().settings
    if not settings.demo_logins or provider not in list(LoginProvider):
        abort(HTTPStatus.NOT_FOUND)
    url_for = partial(
        return_url, settings.base_url, LoginProvider(provider), state=request.args.get("state", "")
    )
    return render_template(
        "demo-login.html",
        provider=NAMES[LoginProvider(provider)],
        people={person: url_for(person=person) for person in PEOPLE},
        cancel=url_for(person=""),
    )


@blueprint.get("/demo-checkout/<_deposit_id>")
@public
@conditional
def demo_checkout(_deposit_id: str) -> str:
    """The checkout page of the provider ``demo``, the same for every id; 404 without this provider."""
    if "demo" not in get_services().settings.payment_methods:
        abort(HTTPStatus.NOT_FOUND)
    return render_template("demo-checkout.html")
