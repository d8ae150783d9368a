"""An alarm about a large payout, from the bet to the reason why it is acknowledged."""

import pytest
from playwright.sync_api import expect

from services.alarms import records
from services.alarms.rules import RULES
from tests.blueprints.office.stories.conftest import local_player
from tests.support.chromium import violations
from tests.support.openings import Openings, chest

pytestmark = pytest.mark.browser

(RULE,) = (rule for rule in RULES if rule.name == "large-payout")


def check(app):
    """Does what the server does each minute."""
    services = app.extensions["services"]
    found = RULE.find(services.settings, services.clock())
    records.update(RULE, found, is_sent=False, now=services.clock())


def test_an_alarm_about_a_large_payout_is_seen_and_acknowledged_with_a_reason(site, player, new_person):
    with site.app() as app:
        check(app)
        content = chest("story-vault", items=[("Story Diamond", 12_000, 100)])
        bet = Openings(app).bet(local_player(player), content, wins="Story Diamond")
        check(app)
    person, text = new_person("compliance"), f"Bet {bet.id} (case) paid $12000.00"

    tab = person.tab
    assert violations(tab) == {}
    tab.get_by_role("link", name=text).click()
    tab.get_by_role("link", name="Show what it is about").click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text(player["platformid"])
    expect(tab.get_by_text("is in the range of Story Diamond")).to_be_visible()
    tab.go_back()
    assert violations(tab) == {}
    form = tab.locator("form[action$='/acknowledge']")
    said = person.send(form, reason="the seeds are right")
    expect(said).to_contain_text("The alarm is acknowledged")

    person.open("Overview")
    expect(tab.get_by_role("link", name=text)).to_have_count(0)
    person.open("Alarms")
    tab.get_by_label("State").select_option("solved")
    tab.get_by_role("button", name="Show").click()
    row = tab.get_by_role("row").filter(has_text=text)
    expect(row).to_contain_text(f"staff:{person.name}: the seeds are right")
    with site.app() as app:
        check(app)
    person.open("Overview")
    expect(tab.get_by_role("link", name=text)).to_have_count(0)
