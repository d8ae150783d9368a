"""How much the page loads, and what is shown meanwhile."""

import gzip

import pytest
from playwright.sync_api import expect

from blueprints.site.assets import FILES
from tests.blueprints.site.conftest import go, hold, sign_in

MOST_BYTES = 150_000

LOADED_BYTES = """
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ initiatorType, name }) => initiatorType !== "img" && !/\\.(webp|png|svg)/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
"""
SHIFTS = """
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shifts += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
"""
GOOD_SHIFT = 0.1
"""Below this sum of layout shifts, Web Vitals call a page stable."""


def test_files_of_the_page_are_compressed_for_browsers(client):
    answer = client.get("/assets/app.js", headers={"Accept-Encoding": "gzip"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert "javascript" in answer.mimetype
    assert gzip.decompress(answer.data) == (FILES / "app.js").read_bytes()


@pytest.mark.parametrize("path", ["/assets/../routes.py", "/assets/%2e%2e/routes.py", "/assets/game"])
def test_only_files_of_the_page_are_served(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.browser
def test_the_first_load_is_at_most_150_kb_without_pictures(tab, site, player):
    sign_in(tab, site, player)

    assert 50_000 < tab.evaluate(LOADED_BYTES) < MOST_BYTES


@pytest.mark.browser
def test_the_modules_of_the_first_page_are_loaded_together(tab, site):
    tab.route("**/assets/app.js", lambda _route: None)  # Without an answer its imports are not known.

    with tab.expect_request("**/assets/game/wheel.js"):
        tab.goto(site.url, wait_until="commit")


@pytest.mark.browser
def test_nothing_moves_when_the_items_arrive(tab, site):
    tab.add_init_script(SHIFTS)
    held = hold(tab, "**/upgrader/items/*", lambda: tab.goto(site.url))
    expect(tab.locator("#items .skeleton").first).to_be_visible()

    held.continue_()

    expect(tab.locator(".skeleton")).to_have_count(0)
    assert tab.evaluate("shifts") < GOOD_SHIFT


@pytest.mark.browser
def test_the_place_of_cases_is_kept_while_they_are_loaded(tab, site):
    tab.goto(site.url)
    held = hold(tab, "**/api/cases/*", lambda: go(tab, "Cases"))
    expect(tab.locator("#cases .skeleton").first).to_be_visible()

    held.continue_()

    expect(tab.locator("#cases").get_by_role("link", name="Night Shift")).to_be_visible()
    expect(tab.locator(".skeleton")).to_have_count(0)
