"""The documents and files that the server gives browsers."""

import gzip
import re

import peewee
import pytest

from blueprints.site.assets import FILES
from blueprints.site.routes import PAGES, UNAVAILABLE_PAGE, UNAVAILABLE_POLICY
from tests.harness.servers import ROOT

ROUTES = ROOT / "blueprints/site/static/routes.js"
BROWSER_ACCEPTS = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_the_server_answers_every_page_of_the_browser():
    paths = re.findall(r'path: "([^"]+)"', ROUTES.read_text(encoding="utf-8"))

    assert {re.sub(r":(\w+)", r"<\1>", path) for path in paths} == set(PAGES)


def test_every_page_has_the_same_document(client):
    headers = {"Accept": BROWSER_ACCEPTS}
    pages = {client.get(path.replace("<id>", "night-shift"), headers=headers).data for path in PAGES}

    assert len(pages) == 1


def test_programs_get_the_json_of_an_endpoint_where_browsers_get_a_page(client):
    page, answer = client.get("/battles", headers={"Accept": BROWSER_ACCEPTS}), client.get("/battles")

    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    assert (page.mimetype, answer.mimetype) == ("text/html", "application/json")
    assert "Accept" in page.vary
    assert "Accept" in answer.vary


def test_files_of_the_page_are_compressed_for_browsers(client):
    answer = client.get("/assets/app.js", headers={"Accept-Encoding": "gzip"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert "javascript" in answer.mimetype
    assert gzip.decompress(answer.data) == (FILES / "app.js").read_bytes()


@pytest.mark.parametrize("path", ["/assets/../routes.py", "/assets/%2e%2e/routes.py", "/assets/game"])
def test_only_files_of_the_page_are_served(client, path):
    assert client.get(path).status_code == 404


def test_the_page_that_verifies_has_the_colours_of_the_built_in_page(client):
    colours = [
        set(re.findall(r"--[\w-]+: [^;]+;", client.get(path).text))
        for path in ("/verify", "/assets/theme.css")
    ]

    assert len(colours[0]) > 10
    assert colours[0] <= colours[1]


def test_the_document_of_the_page_names_all_modules_of_its_first_view(client):
    """Without these links a browser finds a module only when the one that imports it has come."""
    preloaded = re.findall(r'modulepreload" href="([^"]+)"', client.get("/").text)

    assert {"/assets/api.js", "/assets/game/upgrader.js"} <= set(preloaded)
    later = ("log-proof", "public-log", "/battles/")
    assert not [path for path in preloaded if any(name in path for name in later)]


@pytest.mark.parametrize("view", ["site.page", "site.verify"])
def test_the_unavailable_page_is_html_for_browsers_only(app, client, view):
    def fail():
        raise peewee.OperationalError("gone")

    app.view_functions[view] = fail
    path = "/" if view == "site.page" else "/verify"
    shown = client.get(path, headers={"Accept": BROWSER_ACCEPTS})
    told = client.get(path, headers={"Accept": "application/json, text/html;q=0.5"})

    assert (shown.status_code, shown.text) == (503, UNAVAILABLE_PAGE)
    assert shown.content_type.startswith("text/html")
    assert shown.headers["Content-Security-Policy"] == UNAVAILABLE_POLICY
    assert (told.status_code, told.json) == (503, {"error": "The service is temporarily unavailable"})


def test_qr_codes_are_for_own_deposits_only(client, new_player):
    headers = new_player().headers
    body = {"method": "demo", "amount": 5}
    made = client.post("/payments/deposits", json=body, headers=headers).json["deposit"]
    path = f"/qr-codes/deposits/{made['id']}"

    assert client.get(path, headers=headers).json["qrCode"].startswith("data:image/png;base64,")
    assert client.get(path, headers=new_player("bob").headers).status_code == 404
    assert client.get(path).status_code == 401


@pytest.mark.settings(PAYMENT_METHODS="")
def test_without_the_demonstration_there_is_no_payment_page_of_it(client):
    assert client.get("/demo-checkout/1").status_code == 404


@pytest.mark.settings(GAME_A_NAME="Counter & Strike")
def test_games_have_the_names_of_the_settings(client):
    document = client.get("/").text

    assert 'data-game-a="Counter &amp; Strike" data-game-b="Rust"' in document


def test_the_demo_player_is_signed_in_as_by_the_command(client):
    token = client.post("/demo/session").json["token"]

    assert client.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).json["username"] == "demo"
