"""The overview in a real browser: charts that are drawn at once, and figures that stay up to date."""

import pytest
from playwright.sync_api import expect

from tests.support.chromium import PHONE, resize

pytestmark = pytest.mark.browser


def test_charts_are_drawn_without_a_script_and_fit_a_phone(open_tab, demo_address):
    tab = open_tab(java_script_enabled=False)
    tab.goto(demo_address)

    for name in ("Net revenue", "Return to player", "Deposits and withdrawals"):
        expect(tab.get_by_role("img", name=f"Chart: {name}").locator(".line.main")).to_be_visible()
    resize(tab, PHONE)
    assert tab.locator(".charts .panel").first.bounding_box()["width"] < PHONE[0]


def test_the_overview_follows_what_happens_without_a_reload(tab, office_site, demo_address):
    tab.goto(demo_address)
    tile = tab.locator("#tiles li").filter(has_text="New players").locator("strong")
    before = int(tile.inner_text().replace(",", ""))
    tab.evaluate("document.body.dataset.loaded = 'once'")

    office_site.run("users", "create", "newcomer")

    expect(tile).to_have_text(f"{before + 1:,}")
    expect(tab.locator("body")).to_have_attribute("data-loaded", "once")
