"""Lost authenticators: that of a player, and that of a member of staff."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.office.stories.conftest import events_of
from tests.blueprints.site.conftest import go, turn_on
from tests.support.chromium import violations
from tests.support.platform_provider import ALICE

pytestmark = pytest.mark.browser


def log_in(tab, site):
    tab.evaluate("localStorage.clear()")
    tab.goto(site.url)
    tab.click("#spectator a")


def test_a_player_who_lost_the_phone_signs_in_again_after_two_people_have_helped(site, open_tab, new_person):
    player, support, second = open_tab(), new_person("support"), new_person("support")
    player.goto(site.url)
    log_in(player, site)
    expect(player.locator("#username")).to_have_text("Alice")
    turn_on(go(player, "Security"))
    log_in(player, site)
    expect(player.get_by_role("dialog", name="Enter a code to sign in")).to_be_visible()

    tab = support.find({"platformid": ALICE, "username": "Alice"})
    form = support.unfold("reset-two-factor")
    expect(form).to_contain_text("A second person must approve it.")
    said = support.send(form, reason="lost the phone, called by video")
    expect(said).to_contain_text("A second person must approve it")
    expect(tab.locator("dd", has_text="recovery codes left")).to_be_visible()
    expect(second.approve(ALICE)).to_contain_text("Two-factor authentication was turned off")

    log_in(player, site)
    expect(player.locator("#username")).to_have_text("Alice")
    go(player, "Security")
    expect(player.get_by_role("button", name="Turn on two-factor authentication")).to_be_visible()
    assert ("two-factor.reset", f"staff:{second.name}") in events_of(site, {"platformid": ALICE})


def test_a_member_of_staff_who_lost_the_authenticator_is_reset_by_two_people_and_enrols_again(
    site, new_person
):
    person, admin, second = new_person("payments"), new_person("admin"), new_person("admin")

    tab = admin.open("Staff")
    tab.get_by_role("link", name=person.name, exact=True).click()
    said = admin.send(tab.locator("form[action$='/reset']"), reason="the phone fell into a canal")
    expect(said).to_contain_text("A second person must approve it")
    (word,) = re.findall(r"the word ([0-9a-f]+)", said.inner_text())
    person.open("Withdrawals")
    said = second.approve(person.name)
    expect(said).to_contain_text(f"{site.url}/office/enrol")
    (link,) = re.findall(r"http\S+", said.inner_text())

    # The old session is over, and the account has neither password nor authenticator.
    person.tab.reload()
    expect(person.tab.get_by_role("heading", name="Sign in")).to_be_visible()
    tab = person.tab
    tab.goto(link)
    tab.get_by_label("Word").fill(word)
    tab.get_by_role("button", name="Go on").click()
    person.enrol(tab.url)
    person.open("Withdrawals")
    tab = admin.open("Staff")
    tab.get_by_role("link", name=person.name, exact=True).click()
    # What was known of the sessions before is forgotten.
    sessions = tab.get_by_role("region", name="Sessions").locator("tbody tr")
    expect(sessions).to_have_count(1)
    expect(sessions).to_contain_text("runs")
    assert violations(tab) == {}
