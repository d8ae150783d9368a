"""Whole stories in a real browser: staff with passwords and authenticators, at a production server."""

import itertools
import time

import pyotp
import pytest
from playwright.sync_api import expect

from tests.support.office import PASSWORD

STEP_SECONDS = 30

numbers = itertools.count(1)


class Person:
    """A member of staff with a browser of their own."""

    def __init__(self, tab, site, role):
        self.name = f"{role}-{next(numbers)}"
        self.tab, self.site = tab, site
        (added,) = site.run("staff", "add", self.name, "--role", role)
        tab.goto(added["link"])
        self._totp = pyotp.TOTP(tab.locator("#secret").inner_text())
        # A code works once. That of the step before is valid too.
        now = time.time()
        tab.get_by_label("Password", exact=True).fill(PASSWORD)
        tab.get_by_label("Password again").fill(PASSWORD)
        tab.get_by_label("Code").fill(self._totp.at(now - STEP_SECONDS))
        tab.keyboard.press("Enter")
        expect(tab).to_have_url(f"{site.url}/office/sign-in?enrolled=1")
        tab.get_by_label("Name").fill(self.name)
        tab.get_by_label("Password").fill(PASSWORD)
        tab.get_by_label("Code").fill(self._totp.at(now))
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("heading", name="Overview", level=1)).to_be_visible()

    def open(self, page):
        """Opens a page of the navigation."""
        self.tab.get_by_role("navigation", name="Pages").get_by_role("link", name=page).click()
        expect(self.tab.get_by_role("heading", level=1)).to_be_visible()
        return self.tab


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
