"""The cookie that tells browsers apart, and the accounts that staff see linked by it."""

import csv
import re

import pytest

from models.db.connection import reading, writing
from models.logins import LoginDevice
from models.users import User
from tests.blueprints.auth.conftest import FRONTEND
from tests.support.browser import Browser
from tests.support.office import signed_in
from tests.support.platform_provider import ALICE

BOB, CAROL = "76561198000000002", "76561198000000003"
COOKIE = "login_device"


@pytest.fixture
def log_in(game_platform):
    """Log in with the game platform as this player."""

    def as_player(browser, platform_id):
        game_platform.player = platform_id
        game_platform.names.setdefault(platform_id, f"name-{platform_id[-1]}")
        return browser.log_in("platform").headers["Location"]

    return as_player


@pytest.fixture
def linked(app):
    """The names of the players who share a browser with this one. All share the address of the tests."""
    support = signed_in(app, "support")

    def names(platform_id):
        file = support.get(f"/office/players/{platform_id}/links?format=csv").text
        rows = csv.DictReader(file.splitlines())
        return [row["player"] for row in rows if row["shared"] == "browser of a login"]

    return names


@pytest.mark.both_databases("services/accounts/login/devices.py", "services/staff/linked_accounts.py")
@pytest.mark.security("The back office")
def test_players_who_log_in_in_the_same_browser_are_linked(app, browser, log_in, linked):
    for platform_id in (ALICE, BOB, ALICE):
        log_in(browser, platform_id)
    log_in(Browser(app), CAROL)

    assert linked(ALICE) == ["name-2"]
    assert linked(CAROL) == []


def test_a_suspended_player_who_tries_to_log_in_is_linked_too(app, browser, log_in, linked):
    log_in(browser, ALICE)
    with writing():
        User.update(suspended_at_ms=1).execute()
    other = Browser(app)

    assert log_in(other, ALICE) == f"{FRONTEND}?error=account_suspended"
    log_in(other, BOB)

    assert linked(BOB) == ["Alice"]


@pytest.mark.security("The back office")
def test_the_cookie_of_a_device_is_kept_and_only_its_hash_is_stored(browser, log_in):
    log_in(browser, ALICE)
    cookie = browser.cookie(COOKIE)
    log_in(browser, ALICE)

    assert browser.cookie(COOKIE).value == cookie.value
    assert (cookie.http_only, cookie.same_site, cookie.max_age) == (True, "Lax", 400 * 86_400)
    with reading():
        (device,) = LoginDevice.select()
    assert cookie.value not in device.key


def test_a_cookie_of_another_form_is_replaced(browser, log_in):
    browser.client.set_cookie(COOKIE, "nonsense", domain="127.0.0.1", path="/auth")

    log_in(browser, ALICE)

    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", browser.cookie(COOKIE).value)
