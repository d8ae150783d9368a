"""The built-in page in a real browser."""

import json
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from bench.harness.programs import BROWSER
from bench.harness.servers import free_port, threaded_server

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER.path, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def settings():
    """Settings of a test's server besides the usual ones."""
    return {}


@pytest.fixture
def app(make_app, settings):
    """An app that knows the address of its page: its own origin, and the issuer of its tokens."""
    return make_app(BASE_URL=f"http://127.0.0.1:{free_port()}", UPGRADER_PROOF_DELAY="0.5", **settings)


@pytest.fixture
def server(app):
    base_url = app.extensions["services"].settings.base_url
    with threaded_server(app, port=urlsplit(base_url).port) as url:
        yield url


@pytest.fixture
def tab(chromium, server):
    """A tab of a browser in which nobody has been before."""
    with chromium.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.spins = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: _note_spin(page, frame)))
        yield page
        page.goto("about:blank")


@pytest.fixture
def signed_in(tab, server, player, add_item):
    """The page of a player who has chosen an item and can spin."""
    add_item(price=10)
    tab.goto(f"{server}/?token={player.token}")
    tab.locator("#items button").first.click()
    tab.locator("#spin:enabled").wait_for()
    return tab


@pytest.fixture
def spin(signed_in):
    """Spins, with a client seed that is typed if one is given; what is said about the proof."""

    def spin(client_seed=None):
        proofs = signed_in.locator("#proofs > li").count()
        if client_seed is not None:
            signed_in.fill("#client-seed", client_seed)
        signed_in.locator("#spin:enabled").click()
        signed_in.locator("#proofs > li").nth(proofs).wait_for()
        signed_in.locator("#spin:enabled").wait_for()
        return signed_in.locator("#proofs > li .verdict").first.inner_text()

    return spin


def _note_spin(page, frame):
    with suppress(ValueError):
        name, payload = json.loads(frame.lstrip("0123456789"))
        if name == "upgrader:spin":
            page.spins.append(payload)
