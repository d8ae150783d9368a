"""The built-in page in a real browser, served by a production server with the demo data.

Each test has a browser context and players of its own; only the server and the browser are shared.
"""

import json
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pyotp
import pytest
import requests
from flask import Flask
from playwright.sync_api import expect

from services.accounts import users
from tests.harness.local_app import local_app, run_flask
from tests.harness.players import bearer
from tests.harness.servers import RunningServer, free_port, gunicorn
from tests.harness.waiting import wait_until
from tests.support.apps import LOG_SIGNING_KEY
from tests.support.client_seeds import client_seed_that
from tests.support.platform_provider import platform_provider
from tests.support.warm_start import WarmStart

TWO_FACTOR_STEP_SECONDS = 30
SECRETS = {
    "APP_ENV": "production",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-of-these-tests",
    "LOG_SIGNING_KEY": LOG_SIGNING_KEY,
    "JWT_SECRET": "zyxwvutsrqponmlkjihgfedcba9876543210-of-these-tests",
}

SET_ONLINE = """(isOnline) => {
    Object.defineProperty(Navigator.prototype, "onLine", { get: () => isOnline, configurable: true });
    dispatchEvent(new Event(isOnline ? "online" : "offline"));
}"""

SECTIONS = ("Upgrader", "Cases", "Battles", "Rewards", "Live", "Ranking", "Fair")
"""The pages that the header links to."""

AUTO_APPROVED = 40
"""Withdrawals up to this many coins need no approval by staff."""


class Site:
    """A production server with its players and commands. It has the same address after a restart."""

    def __init__(self, env: dict[str, str], directory: Path, stack: ExitStack, warm: WarmStart) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._env = env | {"BASE_URL": self.url, "INSTANCE_DIR": str(directory / "instance")}
        self._directory, self._stack, self._warm = directory, stack, warm
        self.server: RunningServer

    def run(self, *arguments: str) -> list[dict]:
        """Runs an operator's command; each line that it prints."""
        return [json.loads(line) for line in self.text(*arguments).splitlines()]

    def text(self, *arguments: str) -> str:
        """Runs an operator's command; what it prints."""
        return run_flask(self._env, *arguments).strip()

    def app(self, **options: Any) -> AbstractContextManager[Flask]:
        """An app of this process on the same database. ``options`` are those of ``create_app``."""
        return local_app(self._env, **options)

    def start(self) -> None:
        serving = self._warm.server_process(gunicorn(), self._env, self._directory, port=self.port)
        self.server = self._stack.enter_context(serving)

    def get(self, path: str, player: dict | None = None) -> requests.Response:
        headers = bearer(player["token"]) if player else {}
        return requests.get(self.url + path, headers=headers, timeout=30)

    def send(self, method: str, path: str, body: dict, player: dict) -> dict:
        headers = bearer(player["token"])
        response = requests.request(method, self.url + path, json=body, headers=headers, timeout=30)
        response.raise_for_status()
        return response.json()

    def post(self, path: str, body: dict, player: dict) -> dict:
        return self.send("POST", path, body, player)

    def new_player(self, *, coins: float = 100) -> dict[str, str]:
        """A player: ``platformid``, ``username`` and ``token``."""
        (player,) = self.run("users", "create", "player", f"--balance={coins}")
        return player

    def write(self, change: str, *values: object) -> None:
        """Changes rows of the server's database."""
        path = self._env["DATABASE_URL"].removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=10)) as database, database:
            database.execute(change, values)

    def count_as_lost(self, player: dict[str, str], cents: int) -> None:
        """Sets what a player has wagered at an edge of 5 %, none of which was won."""
        lost = "wagered_cents = ?, earned_cents = 0, theoretical_loss_ucents = ?"
        change = f"UPDATE users SET {lost} WHERE platform_id = ?"  # noqa: S608
        self.write(change, cents, cents * 50_000, player["platformid"])


@contextmanager
def serve_site(
    warm: WarmStart, directory: Path, database_url: str, *, demo: bool = False, **settings: str
) -> Iterator[Site]:
    env = {
        "DATABASE_URL": database_url,
        "UPGRADER_PROOF_DELAY": "0.3",
        "RATELIMIT_ENABLED": "0",
        "PAYMENTS_POLL_SECONDS": "0.5",
        "WITHDRAWAL_AUTO_APPROVE": str(AUTO_APPROVED),
        "RAKEBACK_RATE": "0.1",
        "DAILY_SHARE": "0.1",
    }
    with ExitStack() as stack:
        site = Site({**os.environ, **env, **settings}, directory, stack, warm)
        if demo:
            site.run("seed")
        site.start()
        yield site


@pytest.fixture(scope="session")
def site(tmp_path_factory, sqlite_files, warm_start):
    directory = tmp_path_factory.mktemp("site")
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(warm_start, directory, database_url, demo=True, BONUS_PERCENT="50") as site,
    ):
        yield site


@pytest.fixture(scope="session")
def production(tmp_path_factory, sqlite_files, warm_start):
    """A server in production with a login provider. Its logins ask players with 2FA for a code."""
    directory = tmp_path_factory.mktemp("production")
    with (
        platform_provider() as provider,
        sqlite_files.fresh(directory) as database_url,
        serve_site(
            warm_start,
            directory,
            database_url,
            TWO_FACTOR_REQUIRED_FOR="login",
            **SECRETS,
            **provider.settings,
        ) as site,
    ):
        yield site


@pytest.fixture
def player(site):
    return site.new_player()


BET = re.compile(r'42(\d+)\["(?:upgrader:spin|case:open|irl:open)",(.*)\]', re.DOTALL)
"""A packet of Socket.IO with a bet: the number of its acknowledgement and its payload."""


def refuse_bets(tab, answer):
    """Lets a proxy before the server refuse bets: ``answer(bet)``, or None for one that the server gets."""

    def connect(socket):
        server = socket.connect_to_server()

        def to_server(message):
            bet = BET.fullmatch(message)
            refused = answer(json.loads(bet[2])) if bet else None
            if refused:
                socket.send(f"43{bet[1]}{json.dumps([refused])}")
            else:
                server.send(message)

        server.on_message(socket.send)
        socket.on_message(to_server)

    tab.route_web_socket("**/socket.io/**", connect)


def turn_slowly(tab, site):
    """The wheel and the reel turn for ten minutes, so a test sees them turn."""
    rules = site.get("/upgrader/rules").json() | {"proofDelay": 600}
    tab.route("**/upgrader/rules", lambda route: route.fulfill(json=rules))


def turning(tab, part):
    """The animation of ".needle" or ".strip" once it turns slowly; a test may step and finish it."""
    return tab.wait_for_function(
        """part => document.getAnimations().find(
            ({ effect }) => effect.target.matches(part) && effect.getTiming().duration === 600_000)""",
        arg=part,
    )


def seed_that(site, player, wins, *, price, wager=1):
    """A client seed with which the next spin of the player wins, or loses. Whole coins."""
    with site.app() as app:
        owner = users.get(platform_id=player["platformid"])
        return client_seed_that(wins, app=app, player=owner, wager=wager, price=price)


def sign_in(tab, site, player, *, item=0):
    """Opens the page with all items as a player who can spin: an item is chosen unless ``item`` is None."""
    tab.goto(f"{site.url}/?range=all&token={player['token']}")
    expect(tab.locator("#username")).to_have_text(player["username"])
    if item is not None:
        tab.locator("#items button").nth(item).click()
        expect(tab.locator("#spin")).to_be_enabled()
    return tab


def spin(tab, client_seed=None):
    """Spins, with a client seed that is typed if one is given; the verdict on the proof."""
    expect(tab.locator("#spin")).to_be_enabled()
    nonce = tab.locator("#nonce").text_content()
    if client_seed is not None:
        open_details(tab)
        tab.fill("#client-seed", client_seed)
    tab.locator("#spin").click()
    verdict = tab.locator(f"#proofs > [data-nonce='{nonce}'] .verdict")
    expect(verdict).to_be_visible()
    expect(tab.locator("#game")).not_to_have_attribute("data-spinning", "")
    return verdict.inner_text()


def go(tab, name):
    """Opens a page by the link in the header or in the menu of the account."""
    if name in SECTIONS:
        link = tab.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name=name)
    else:
        if not tab.locator("#account").is_visible():
            tab.click("#player > button")
        link = tab.locator("#account").get_by_role("link", name=name, exact=True)
    link.click()
    expect(tab.locator("#page-title")).to_be_focused()
    return tab


def choose_case(tab, name):
    """Searches a case, which also loads the list anew, and chooses it."""
    find_case(tab, name).click()
    expect(tab.locator("#game[aria-busy=false] #game-title")).to_have_text(name)


def find_case(tab, name):
    """Searches a case; its link."""
    go(tab, "Cases")
    tab.fill("#case-search", name)
    return tab.locator("#cases[aria-busy=false]").get_by_role("link", name=name)


def open_case(tab, name):
    """Chooses a case and opens it; the verdict on the proof."""
    choose_case(tab, name)
    expect(tab.locator("#spin")).to_be_enabled()
    return spin(tab)


def balance(tab):
    """The balance that the page shows, in coins."""
    return float(tab.locator("#balance").text_content().removesuffix(" coins").replace(",", ""))


def newest_bet(site, player):
    """The newest bet of a player as anybody may look it up, once its seed is revealed."""
    entry = site.get("/stats/fairness?limit=1", player).json()["data"]["items"][0]
    wait_until(lambda: site.get(f"/bets/{entry['id']}").ok)
    return site.get(f"/bets/{entry['id']}").json()


def hold(tab, path, act):
    """Holds the request to this path that ``act`` sends; returns its route, which lets it go on."""
    held = []
    tab.route(path, lambda route: route.continue_() if held else held.append(route))
    act()
    wait_until(lambda: tab.title() and held)
    return held[0]


def lines_of(tab, name):
    """The lines of a list, without those that keep their place while it is loaded."""
    return tab.locator(f"#{name} > li:not(.skeleton)")


def submit(tab, label, text):
    """Types into the field with this label, and presses Enter."""
    tab.get_by_label(label, exact=True).fill(text)
    tab.keyboard.press("Enter")


def enter_code(tab, code):
    submit(tab, "Code", code)


def turn_on(tab):
    """Turns two-factor authentication on as a player does; the code that is valid next."""
    tab.get_by_role("button", name="Turn on two-factor authentication").click()
    app, now = pyotp.TOTP(tab.locator("#secret").inner_text()), int(time.time())
    enter_code(tab, app.at(now))
    expect(tab.locator("#security-said")).to_contain_text("Two-factor authentication is on.")
    return app.at(now + TWO_FACTOR_STEP_SECONDS)


def turn_on_two_factor(site, player):
    """Turns two-factor authentication on; a recovery code, which stays valid unlike those of an app."""
    app = pyotp.TOTP(site.post("/profile/2fa/setup", {}, player)["secret"])
    now = int(time.time())
    site.post("/profile/2fa/enable", {"code": app.at(now)}, player)
    # A code works once, and the next one is valid already.
    code = app.at(now + TWO_FACTOR_STEP_SECONDS)
    return site.post("/profile/2fa/recovery-codes", {"code": code}, player)["codes"][0]


def promo_code(site, owner):
    """Sets the promo code of a player; the code."""
    code = f"CODE{owner['platformid'][-20:]}"
    site.post("/affiliate/set-code", {"code": code}, owner)
    return code


def refer(site, player, owner):
    """Lets a player use the promo code of another one."""
    site.post("/affiliate/use-code", {"code": promo_code(site, owner)}, player)


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
