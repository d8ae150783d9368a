"""A player whom compliance excludes, and the proof of it in the audit trail."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import sign_in
from tests.support.chromium import violations

pytestmark = pytest.mark.browser

EVENTS = {"exclusion.begun", "exclusion.extended"}


def test_an_exclusion_and_its_extension_are_found_in_the_audit_trail_and_exported(
    site, player, open_tab, new_person
):
    person = new_person("compliance")

    tab = person.find(player)
    for duration in ("7d", "permanent"):
        form = person.unfold("exclude")
        form.get_by_label("For how long").select_option(duration)
        said = person.send(form, reason=f"asked for {duration} by letter")
        expect(said).to_contain_text("The player is excluded from all games")
    expect(tab.get_by_text("excluded for ever")).to_be_visible()

    game = sign_in(open_tab(), site, player)
    game.locator("#spin").click()
    expect(game.get_by_text("You have excluded yourself permanently").first).to_be_visible()

    person.open("Audit trail")
    tab.get_by_label("Player (platform id)").fill(player["platformid"])
    tab.get_by_role("button", name="Show").click()
    for event, duration in (("exclusion.begun", "7d"), ("exclusion.extended", "permanent")):
        row = tab.get_by_role("row").filter(has_text=event)
        expect(row).to_contain_text(f"staff:{person.name}")
        expect(row).to_contain_text(f"asked for {duration} by letter")
    assert violations(tab) == {}
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Export the audit trail").click()

    file = Path(download.value.path())
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    found = {each["what"] for each in entries[:-1] if each["player"] == player["platformid"]}
    assert found >= EVENTS
    (verified,) = site.run("audit", "verify", "--from", str(file))
    assert (verified["exported"], verified["problems"]) == (len(entries) - 1, 0)
