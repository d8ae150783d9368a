"""How much the page loads, and what is shown meanwhile and without a connection."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import SET_ONLINE, go, hold, sign_in
from tests.support.chromium import LOADED_BYTES

pytestmark = pytest.mark.browser

MOST_BYTES = 150_000
LOADED_MODULES = "performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())"
SHIFTS = """
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shifts += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
"""
GOOD_SHIFT = 0.1
"""Below this sum of layout shifts, Web Vitals call a page stable."""


@pytest.mark.thorough
def test_the_first_load_is_at_most_150_kb_without_pictures(tab, site, player):
    sign_in(tab, site, player)

    assert 50_000 < tab.evaluate(LOADED_BYTES) < MOST_BYTES
    modules = {"public-log.js", "log-proof.js", "receipts.js", "battles.css", "room.js", "bls12-381.min.js"}
    assert modules & set(tab.evaluate(LOADED_MODULES)) == set()
    tab.get_by_role("link", name="Public log").click()
    expect(tab.locator("#log-parts")).to_be_visible()
    assert modules & set(tab.evaluate(LOADED_MODULES)) == {"public-log.js", "log-proof.js"}


@pytest.mark.thorough
def test_nothing_moves_when_items_and_cases_arrive(tab, site):
    tab.add_init_script(SHIFTS)
    held = hold(tab, "**/upgrader/items/*", lambda: tab.goto(site.url))
    expect(tab.locator("#items .skeleton").first).to_be_visible()
    held.continue_()
    expect(tab.locator(".skeleton")).to_have_count(0)
    assert tab.evaluate("shifts") < GOOD_SHIFT

    held = hold(tab, "**/api/cases/*", lambda: go(tab, "Cases"))
    expect(tab.locator("#cases .skeleton").first).to_be_visible()
    held.continue_()

    expect(tab.locator("#cases").get_by_role("link", name="Night Shift")).to_be_visible()
    expect(tab.locator(".skeleton")).to_have_count(0)


@pytest.mark.thorough
def test_the_page_connects_to_its_own_origin_only(tab, site):
    tab.goto(site.url)
    expect(tab.locator("#line")).to_have_text("Live")

    refused = tab.evaluate("""async () => {
        const refused = [];
        document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
        const other = new WebSocket("ws://127.0.0.2:9/");
        await new Promise(resolve => { other.onerror = resolve; });
        return refused;
    }""")

    assert refused == ["connect-src"]


@pytest.mark.thorough
def test_a_player_who_is_offline_is_told_and_goes_on_afterwards(tab, site, player):
    cut = []
    tab.route_web_socket(
        "**/socket.io/**", lambda socket: socket.close() if cut else socket.connect_to_server()
    )
    sign_in(tab, site, player)
    cut.append(True)
    tab.evaluate(SET_ONLINE, False)
    expect(tab.locator("#notice")).to_contain_text("You are offline.")
    expect(tab.locator("#line")).to_have_text("Offline")
    expect(tab.locator("#spin")).to_be_disabled()
    tab.route("**/leaderboard*", lambda route: route.abort())
    go(tab, "Ranking")
    expect(tab.locator("#leaders-note")).to_contain_text("could not be loaded")
    tab.unroute("**/leaderboard*")

    cut.clear()
    tab.evaluate(SET_ONLINE, True)

    expect(tab.locator("#line")).to_have_text("Live")
    expect(tab.locator("#notice")).to_be_hidden()
    expect(tab.locator("#spin")).to_be_enabled()
    expect(tab.locator("#leaders-note")).to_be_empty()
