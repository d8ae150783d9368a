"""The page that explains how a bet is decided, and the page of the public log."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, sign_in, spin

pytestmark = pytest.mark.browser


@pytest.mark.security("Verification in the browser")
def test_the_last_bet_of_the_player_is_recomputed_and_found_in_the_log_as_the_example(tab, site, player):
    sign_in(tab, site, player)
    spin(tab)
    digest = tab.locator("#proofs .values dd").nth(4).text_content()

    go(tab, "Fair")

    expect(tab.locator("#sentences li")).to_have_count(5)
    expect(tab.locator("#example-title")).to_contain_text("Your last bet: spin 1")
    expect(tab.locator(".decision")).to_contain_text(digest)
    expect(tab.locator(".checks .passed", has_text="The seeds give the roll")).to_be_visible()
    expect(tab.locator("#fair-in-log > strong")).to_contain_text("Verified")
    expect(tab.locator("#fair-checkpoint")).to_contain_text(site.get("/log/current").json()["origin"])


@pytest.mark.thorough
def test_a_guest_sees_the_newest_bet_of_all_players(tab, site):
    tab.goto(f"{site.url}/fair")

    expect(tab.locator("#example-title")).to_contain_text("The newest bet of all players")
    expect(tab.locator(".checks .passed").first).to_be_visible()
    expect(tab.locator(".checks .failed")).to_have_count(0)
    tab.get_by_role("link", name="Play a bet of your own").click()
    expect(tab.locator("#items button").first).to_be_visible()


def open_log(tab, site, player):
    """Plays a spin, waits for its receipt, and opens the public log."""
    sign_in(tab, site, player)
    spin(tab)
    tab.get_by_role("link", name="Public log").click()
    expect(tab.locator("#log-parts")).to_be_visible()
    return tab.locator("#logged li", has_text="spin 1").get_by_role("status")


@pytest.mark.security("Verification in the browser")
def test_the_log_page_shows_the_log_and_verifies_a_bet(tab, site, player):
    result = open_log(tab, site, player)
    expect(tab).to_have_url(f"{site.url}/public-log")
    expect(tab.locator("#log-me")).to_have_text(site.get("/log/me", player).json()["player"])
    expect(tab.locator("#log-keys")).to_have_text(site.get("/log/key").text.strip())
    checkpoint = tab.locator("#checkpoint").text_content().splitlines()
    assert checkpoint[:2] == [tab.locator("#log-origin").inner_text(), tab.locator("#log-size").inner_text()]

    tab.get_by_role("button", name="Verify spin 1").click()

    expect(result.locator("strong")).to_have_text(re.compile(r"^Verified: entry \d+ of \d+$"))
    expect(result.locator("li")).to_have_text([re.compile("^✓")] * 8)


@pytest.mark.thorough
def test_a_guest_sees_and_copies_the_checkpoint(open_tab, site):
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    tab.goto(site.url)
    tab.get_by_role("link", name="Public log").click()
    expect(tab.locator("#checkpoint")).not_to_be_empty()
    expect(tab.get_by_role("heading", name="Your bets in the log")).to_be_hidden()

    tab.get_by_role("button", name="Copy the checkpoint").click()

    expect(tab.locator("#log-said")).to_have_text("Copied.")
    assert tab.evaluate("navigator.clipboard.readText()") == tab.locator("#checkpoint").text_content()


@pytest.mark.thorough
@pytest.mark.security("Verification in the browser")
def test_a_receipt_is_kept_saved_and_verified_without_this_server(tab, site, player):
    sign_in(tab, site, player)
    spin(tab)
    tab.reload()
    tab.locator("#proofs summary").click()
    expect(tab.locator("#proofs .receipt")).to_contain_text(
        re.compile(r"entry \d+ of the log, as promised\.")
    )
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Save the receipt").click()
    receipt = download.value.path()
    assert receipt.read_text(encoding="utf-8") == site.get("/log/receipts/1", player).text

    tab.goto(f"{site.url}/verify#{urlencode({'logKey': site.get('/log/key').text})}")
    tab.set_input_files("#logFile", receipt)

    expect(tab.locator("#log-checks li")).to_have_text([re.compile("✓ The receipt is signed")])
