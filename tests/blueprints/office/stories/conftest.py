"""Whole stories in a real browser: each person has a browser of their own, at a production server."""

import itertools
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from services.accounts import users
from tests.support.office import signed_in

numbers = itertools.count(1)


class Person:
    """A member of staff who is signed in, with a browser of their own."""

    def __init__(self, tab, site, role):
        self.name = f"{role}-{next(numbers)}"
        self.tab = tab
        with site.app() as app:
            value = signed_in(app, role, self.name).cookie
        cookie = {"name": "office", "value": value, "domain": "127.0.0.1", "path": "/office"}
        tab.context.add_cookies([cookie])
        tab.goto(f"{site.url}/office/")
        expect(tab.get_by_role("heading", name="Overview", level=1)).to_be_visible()

    def open(self, page):
        """Opens a page of the navigation."""
        self.tab.get_by_role("navigation", name="Pages").get_by_role("link", name=page).click()
        expect(self.tab.get_by_role("heading", level=1)).to_be_visible()
        return self.tab

    def find(self, player):
        """Opens the page of a player by the field that every page has."""
        tab = self.tab
        tab.get_by_role("searchbox").fill(player["platformid"])
        tab.keyboard.press("Enter")
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


@pytest.fixture
def site(office_site):
    return office_site


@pytest.fixture
def player(site):
    """A player with 100 coins."""
    return site.new_player()


@pytest.fixture
def new_person(open_tab, site):
    """Lets a person with a role sign in."""
    return lambda role: Person(open_tab(), site, role)
