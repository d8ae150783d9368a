"""A player who is suspended by keyboard alone, from the first sign-in on."""

import time

import pyotp
import pytest
from playwright.sync_api import expect

from tests.support.office import PASSWORD

pytestmark = pytest.mark.browser

MOST_STOPS = 150
STEP_SECONDS = 30
FOCUSED = """() => {
  const part = document.activeElement;
  return (part.labels?.[0] ?? part).innerText.trim();
}"""


class Keyboard:
    """Somebody without a mouse."""

    def __init__(self, tab):
        self.tab = tab
        self.press, self.type = tab.keyboard.press, tab.keyboard.type

    def go_to(self, label):
        """Goes on with Tab to a link, a button, or a field with this label."""
        passed = [self.tab.evaluate(FOCUSED)]
        while passed[-1] != label:
            assert len(passed) < MOST_STOPS, f"{label} is not reached, but {passed}"
            self.press("Tab")
            passed.append(self.tab.evaluate(FOCUSED))

    def fill(self, **fields):
        """Fills in fields in their order, and sends their form."""
        for label, text in fields.items():
            self.go_to(label.replace("_", " "))
            self.type(text)
        self.press("Enter")


def test_a_player_is_suspended_without_a_mouse(site, player, tab):
    (added,) = site.run("staff", "add", "keyboard-user", "--role", "support")
    keyboard = Keyboard(tab)
    tab.goto(added["link"])
    expect(tab.get_by_alt_text("QR code for the authenticator")).to_be_visible()
    # A code works once. That of the next step is valid too.
    totp, now = pyotp.TOTP(tab.locator("#secret").inner_text()), time.time()
    keyboard.fill(Password=PASSWORD, Password_again=PASSWORD, Code=totp.at(now))
    expect(tab.get_by_role("status")).to_contain_text("You are enrolled")
    keyboard.fill(Name="keyboard-user", Password=PASSWORD, Code=totp.at(now + STEP_SECONDS))
    expect(tab.get_by_role("heading", name="Overview", level=1)).to_be_visible()

    keyboard.press("/")
    keyboard.type(player["platformid"])
    keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Players", level=1)).to_be_visible()
    keyboard.go_to(player["username"])
    keyboard.press("Enter")
    expect(tab.get_by_role("heading", level=1)).to_contain_text(player["platformid"])
    keyboard.go_to("Suspend")
    keyboard.press("Enter")
    keyboard.fill(Reason="somebody else may play")

    expect(tab.get_by_role("status")).to_contain_text("The player is suspended")
    assert site.get("/auth/me", player).status_code == 403
