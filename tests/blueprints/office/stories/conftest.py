"""Whole stories in a real browser: staff with passwords and authenticators, at a production server."""

import itertools
import time
from dataclasses import dataclass

import pyotp
import pytest
from playwright.sync_api import expect

from services.accounts import users
from tests.support.office import PASSWORD

STEP_SECONDS = 30

numbers = itertools.count(1)


class Person:
    """A member of staff with a browser of their own."""

    def __init__(self, tab, site, role):
        self.name = f"{role}-{next(numbers)}"
        self.tab, self.site = tab, site
        (added,) = site.run("staff", "add", self.name, "--role", role)
        self.enrol(added["link"])

    def enrol(self, link):
        """Chooses a password, scans the secret, and signs in."""
        tab = self.tab
        tab.goto(link)
        totp = pyotp.TOTP(tab.locator("#secret").inner_text())
        # A code works once. That of the next step is valid too.
        now = time.time()
        tab.get_by_label("Password", exact=True).fill(PASSWORD)
        tab.get_by_label("Password again").fill(PASSWORD)
        tab.get_by_label("Code").fill(totp.at(now))
        tab.keyboard.press("Enter")
        expect(tab).to_have_url(f"{self.site.url}/office/sign-in?enrolled=1")
        tab.get_by_label("Name").fill(self.name)
        tab.get_by_label("Password").fill(PASSWORD)
        tab.get_by_label("Code").fill(totp.at(now + STEP_SECONDS))
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("heading", name="Overview", level=1)).to_be_visible()

    def open(self, page):
        """Opens a page of the navigation."""
        self.tab.get_by_role("navigation", name="Pages").get_by_role("link", name=page).click()
        expect(self.tab.get_by_role("heading", level=1)).to_be_visible()
        return self.tab

    def search(self, text):
        """Searches players by the field that every page has."""
        self.tab.get_by_role("searchbox").fill(text)
        self.tab.keyboard.press("Enter")
        expect(self.tab.get_by_role("heading", name="Players", level=1)).to_be_visible()
        return self.tab

    def find(self, player):
        """Opens the page of a player."""
        tab = self.search(player["platformid"])
        tab.get_by_role("link", name=player["username"], exact=True).click()
        expect(tab.get_by_role("heading", level=1)).to_contain_text(player["platformid"])
        return tab

    def unfold(self, action):
        """Unfolds the form of the page whose address ends with ``action``, and returns it."""
        form = self.tab.locator(f"form[action$='/{action}']")
        form.wait_for(state="attached")
        if not form.is_visible():
            self.tab.locator("details", has=form).locator("summary").click()
        return form

    def send(self, form, *, reason):
        """Sends a form of an action with a reason; what the page says then."""
        form.get_by_label("Reason").fill(reason)
        form.get_by_role("button").click()
        return self.tab.get_by_role("status")

    def approve(self, text):
        """Approves the proposal whose line has this text; what the page says then."""
        tab = self.open("Proposals")
        tab.get_by_role("row").filter(has_text=text).get_by_role("link").click()
        tab.get_by_role("button", name="Approve, and do it now").click()
        return tab.get_by_role("status")


@dataclass(frozen=True)
class LocalPlayer:
    """A player of the site, for bets that are settled in this process."""

    id: int


def local_player(player):
    """To be used within ``site.app()``."""
    return LocalPlayer(users.get(platform_id=player["platformid"]).id)


def events_of(site, player):
    """What was done to a player, and by whom, the oldest first."""
    events = site.run("audit", "export")[:-1]
    return [(each["what"], each["who"]) for each in events if each["player"] == player["platformid"]]


@pytest.fixture
def site(office_site):
    return office_site


@pytest.fixture
def player(site):
    """A player with 100 coins."""
    return site.new_player()


@pytest.fixture
def new_person(open_tab, site):
    """Lets a person with a role enrol and sign in."""
    return lambda role: Person(open_tab(), site, role)
