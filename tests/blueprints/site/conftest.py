"""The built-in page in a real browser, served by a production server with the demo data."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pyotp
import pytest
import requests
from playwright.sync_api import Page, expect, sync_playwright

from bench.harness.programs import BROWSER
from bench.harness.servers import ROOT, RunningServer, flask_command, free_port, gunicorn, server_process

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 20_000
ACKNOWLEDGEMENT = "43"
"""How a packet of Socket.IO with the answer to an event begins."""
TWO_FACTOR_STEP_SECONDS = 30
PLAYERS = 200

DESKTOP, PHONE = (1366, 768), (390, 844)

expect.set_options(timeout=PATIENCE_MS)


class Site:
    """A production server with its players and commands. It has the same address after a restart."""

    def __init__(self, env: dict[str, str], directory: Path, stack: ExitStack, target: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._env = env | {"BASE_URL": self.url, "INSTANCE_DIR": str(directory / "instance")}
        self._directory, self._stack, self._target = directory, stack, target
        self.server: RunningServer
        self._players = iter(self.run("users", "create", "player", "--balance=100", f"--count={PLAYERS}"))

    def run(self, *arguments: str) -> list[dict]:
        """Runs an operator's command; each line that it prints."""
        command = [*flask_command(), *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self._env, check=True, capture_output=True, text=True, timeout=60
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self) -> None:
        serving = server_process(gunicorn(self._target), self._env, self._directory, port=self.port)
        self.server = self._stack.enter_context(serving)

    def get(self, path: str, player: dict | None = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {player['token']}"} if player else {}
        return requests.get(self.url + path, headers=headers, timeout=30)

    def send(self, method: str, path: str, body: dict, player: dict) -> dict:
        headers = {"Authorization": f"Bearer {player['token']}"}
        response = requests.request(method, self.url + path, json=body, headers=headers, timeout=30)
        response.raise_for_status()
        return response.json()

    def post(self, path: str, body: dict, player: dict) -> dict:
        return self.send("POST", path, body, player)

    def new_player(self) -> dict[str, str]:
        """A player with 100 coins: ``platformid``, ``username`` and ``token``."""
        return next(self._players)


@contextmanager
def serve_site(
    directory: Path, database_url: str, *, demo: bool = False, target: str = "wsgi:app", **settings: str
) -> Iterator[Site]:
    env = {
        "DATABASE_URL": database_url,
        "UPGRADER_PROOF_DELAY": "0.5",
        "RATELIMIT_ENABLED": "0",
    }
    with ExitStack() as stack:
        site = Site({**os.environ, **env, **settings}, directory, stack, target)
        if demo:
            site.run("seed")
        site.start()
        yield site


@pytest.fixture(scope="session")
def site(tmp_path_factory, sqlite_files):
    directory = tmp_path_factory.mktemp("site")
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(directory, database_url, demo=True) as site,
    ):
        yield site


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER.path, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def player(site):
    return site.new_player()


@pytest.fixture
def open_tab(chromium):
    """Opens tabs of browsers in which nobody has been before. The page must not report an error."""
    with ExitStack() as stack:
        problems = []

        def open_tab(size=DESKTOP, **options) -> Page:
            context = stack.enter_context(
                chromium.new_context(
                    viewport=dict(zip(("width", "height"), size, strict=True)),
                    **{"reduced_motion": "reduce", **options},
                )
            )
            tab = context.new_page()
            tab.set_default_timeout(PATIENCE_MS)
            tab.spins = []
            tab.on("websocket", lambda socket: socket.on("framesent", lambda frame: _note_spin(tab, frame)))
            tab.on("pageerror", lambda error: problems.append(str(error)))
            return tab

        yield open_tab
    assert problems == []


@pytest.fixture
def tab(open_tab):
    return open_tab()


@pytest.fixture
def sign_in(site):
    """Opens the page as a player who can spin: an item is chosen unless ``item`` is None."""

    def sign_in(tab, player, *, item=0):
        tab.goto(f"{site.url}/?token={player['token']}")
        expect(tab.locator("#username")).to_have_text(player["username"])
        if item is not None:
            tab.locator("#items button").nth(item).click()
            expect(tab.locator("#spin")).to_be_enabled()
        return tab

    return sign_in


@pytest.fixture
def signed_in(tab, player, sign_in):
    return sign_in(tab, player)


@pytest.fixture
def spin():
    """Spins, with a client seed that is typed if one is given; the verdict on the proof."""

    def spin(tab, client_seed=None):
        expect(tab.locator("#spin")).to_be_enabled()
        nonce = tab.locator("#nonce").text_content()
        if client_seed is not None:
            open_details(tab)
            tab.fill("#client-seed", client_seed)
        tab.locator("#spin").click()
        verdict = tab.locator(f"#proofs > [data-nonce='{nonce}'] .verdict")
        expect(verdict).to_be_visible()
        expect(tab.locator("#spin")).to_be_enabled()
        return verdict.inner_text()

    return spin


@pytest.fixture
def choose_case():
    """Chooses a case of the list."""

    def choose_case(tab, name):
        tab.get_by_role("tab", name="Cases").click()
        tab.locator("#cases").get_by_role("button", name=name).click()
        expect(tab.locator("#game-title")).to_have_text(name)

    return choose_case


@pytest.fixture
def open_case(choose_case):
    """Chooses a case and opens it; the verdict on the proof."""

    def open_case(tab, name):
        choose_case(tab, name)
        expect(tab.locator("#spin")).to_be_enabled()
        nonce = tab.locator("#nonce").text_content()
        tab.locator("#spin").click()
        verdict = tab.locator(f"#proofs > [data-nonce='{nonce}'] .verdict")
        expect(verdict).to_be_visible()
        return verdict.inner_text()

    return open_case


@pytest.fixture
def two_factor(site):
    """Turns two-factor authentication on; ten recovery codes, which stay valid unlike those of an app."""

    def turn_on(player):
        app = pyotp.TOTP(site.post("/profile/2fa/setup", {}, player)["secret"])
        now = int(time.time())
        site.post("/profile/2fa/enable", {"code": app.at(now)}, player)
        # A code works once, and the next one is valid already.
        return site.post(
            "/profile/2fa/recovery-codes", {"code": app.at(now + TWO_FACTOR_STEP_SECONDS)}, player
        )["codes"]

    return turn_on


@pytest.fixture
def open_account():
    """Opens the tab with limits, breaks and security, once the page has signed the player in."""

    def open_account(tab):
        tab.get_by_role("tab", name="Account").click()
        expect(tab.locator("#account-parts")).to_be_visible()
        return tab

    return open_account


@pytest.fixture
def refer(site):
    """Lets a player use the promo code of a new player, whom it returns."""

    def refer(player):
        owner = site.new_player()
        code = f"CODE{owner['platformid']}"
        site.post("/affiliate/set-code", {"code": code}, owner)
        site.post("/affiliate/use-code", {"code": code}, player)
        return owner

    return refer


@pytest.fixture
def lose_first_answer():
    """Breaks the tab's connection instead of delivering the first answer; the list of what was lost."""

    def lose_first_answer(tab):
        lost = []

        def connect(page):
            server = page.connect_to_server()

            def forward(message):
                if message.startswith(ACKNOWLEDGEMENT) and not lost:
                    lost.append(message)
                    page.close()
                    server.close()
                else:
                    page.send(message)

            server.on_message(forward)

        tab.route_web_socket("**/socket.io/**", connect)
        return lost

    return lose_first_answer


def expect_stacked(tab, size, *names):
    """Elements are whole in the window, each below the one before."""
    bottom = 0
    for name in names:
        box = tab.locator(name).bounding_box()
        assert box["x"] >= 0
        assert box["y"] >= bottom
        bottom = box["y"] + box["height"]
        assert box["x"] + box["width"] <= size[0]
        assert bottom <= size[1]


def tab_to(tab, selector, key="Tab"):
    """Presses the key until an element that the selector matches has the focus."""
    for _ in range(80):
        tab.keyboard.press(key)
        if tab.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} can't be reached with {key}")


def open_details(tab):
    """Opens the section with the fairness values."""
    if not tab.locator("#client-seed").is_visible():
        tab.click("#fairness > summary")


def _note_spin(tab, frame):
    with suppress(ValueError):
        name, payload = json.loads(frame.lstrip("0123456789"))
        if name == "upgrader:spin":
            tab.spins.append(payload)
