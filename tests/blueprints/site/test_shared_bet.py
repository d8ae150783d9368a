"""The page of a shared bet in a real browser: it recomputes the bet without being asked."""

import json

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import play
from tests.blueprints.site.conftest import newest_bet

pytestmark = pytest.mark.browser


@pytest.fixture
def spin_and_opening(site, player):
    """The ids of a spin and of an opening that everybody may look up."""
    _lost, won, opened = play(site, player)
    newest_bet(site, player)  # It is revealed last.
    return won, opened


def test_a_bet_is_verified_without_being_asked(tab, site, spin_and_opening):
    for bet_id in spin_and_opening:
        tab.goto(f"{site.url}/b/{bet_id}")

        expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "good")
        expect(tab.locator("#checks .failed")).to_have_count(0)
        # The seeds, the outcome, and the entry in the public log.
        assert tab.locator("#checks .passed").count() >= 8
    tab.locator("#verify").click()
    expect(tab.locator("#snapshot-verdict")).to_have_text("✓ The content is that of the snapshot.")


CHANGES = {
    "another server seed": lambda bet: bet["pf"].update(serverSeed="0" * 64),
    "another client seed": lambda bet: bet["pf"].update(clientSeed="another-seed"),
    "another price": lambda bet: bet.update(price="$99999.00"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("changed", CHANGES)
def test_an_altered_answer_is_not_verified(tab, site, spin_and_opening, changed):
    bet_id, _ = spin_and_opening
    bet = site.get(f"/bets/{bet_id}").json()
    CHANGES[changed](bet)
    tab.route(f"**/bets/{bet_id}", lambda route: route.fulfill(json=bet))

    tab.goto(f"{site.url}/b/{bet_id}")

    expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "bad")
    assert tab.locator("#checks .failed").count() >= 1


@pytest.mark.thorough
def test_another_case_than_the_one_that_was_opened_is_not_verified(tab, site, spin_and_opening):
    _, bet_id = spin_and_opening
    content = json.loads(site.get(f"/snapshots/{site.get(f'/bets/{bet_id}').json()['snapshot']}").text)
    content["items"].reverse()
    tab.route("**/snapshots/*", lambda route: route.fulfill(body=json.dumps(content)))

    tab.goto(f"{site.url}/b/{bet_id}")

    expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "bad")


@pytest.mark.thorough
def test_without_an_answer_or_javascript_nothing_is_called_verified(open_tab, site, spin_and_opening):
    bet_id, _ = spin_and_opening
    tab, plain = open_tab(), open_tab(java_script_enabled=False)
    tab.route(f"**/bets/{bet_id}", lambda route: route.abort())

    for each in (tab, plain):
        each.goto(f"{site.url}/b/{bet_id}")

    expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "unknown")
    expect(tab.locator("#verdict")).to_contain_text("the server did not answer")
    expect(plain.locator("h1")).to_be_visible()
    expect(plain.locator("#verdict")).to_contain_text("when JavaScript is on")
