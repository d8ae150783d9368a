"""The page that explains how a bet is decided, with a bet as its example."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, spin
from tests.support.chromium import violations

pytestmark = pytest.mark.browser


@pytest.mark.security("Verification in the browser")
def test_the_last_bet_of_the_player_is_recomputed_as_the_example(shared):
    nonce = shared.locator("#nonce").text_content()
    spin(shared)
    digest = shared.locator(f"#proofs [data-nonce='{nonce}'] .values dd").nth(4).text_content()

    go(shared, "Fair")

    expect(shared.locator("#sentences li")).to_have_count(5)
    expect(shared.locator("#example-title")).to_contain_text(f"Your last bet: spin {nonce}")
    expect(shared.locator(".decision")).to_contain_text(digest)
    expect(shared.locator(".checks .passed", has_text="The seeds give the roll")).to_be_visible()


def test_the_example_is_proved_to_be_in_the_public_log(shared):
    spin(shared)

    go(shared, "Fair")

    expect(shared.locator("#fair-in-log > strong")).to_contain_text("Verified")
    expect(shared.locator("#fair-checkpoint")).to_contain_text(site_origin(shared))
    assert violations(shared) == {}


def site_origin(tab):
    return tab.evaluate("fetch('/log/current').then((answer) => answer.json())")["origin"]


def test_a_guest_sees_the_newest_bet_of_all_players(tab, site):
    tab.goto(f"{site.url}/fair")

    expect(tab.locator("#example-title")).to_contain_text("The newest bet of all players")
    expect(tab.locator(".checks .failed")).to_have_count(0)
    expect(tab.locator(".checks .passed").first).to_be_visible()
    tab.get_by_role("link", name="Play a bet of your own").click()
    expect(tab.locator("#items button").first).to_be_visible()
