"""The charts of the overview in a real browser, from the figures in its tables."""

import pytest
from playwright.sync_api import expect

from bench.harness.waiting import wait_until
from tests.support.chromium import PHONE, resize

pytestmark = pytest.mark.browser

IS_DRAWN = """
  (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)
"""


@pytest.fixture
def overview(office_site, demo_address):
    """Opens the overview in a tab once the figures of the demo are there."""

    def open_in(tab):
        tab.goto(demo_address)
        row = tab.locator("#days tr[data-day]").first

        def has_figures():
            tab.goto(f"{office_site.url}/office/")
            return row.count() == 1 and tab.get_by_text("As of").count() == 1

        wait_until(has_figures, seconds=30)
        return tab

    return open_in


def test_the_charts_are_drawn_from_the_table_below_them(tab, overview):
    overview(tab)

    for name in ("gross gaming revenue", "return to player"):
        chart = tab.get_by_role("img", name=f"Chart of the {name}")
        expect(chart.locator("canvas")).to_have_count(1)
        assert chart.locator("canvas").evaluate(IS_DRAWN)
    resize(tab, PHONE)
    expect(tab.locator(".charts canvas")).to_have_count(2)


def test_the_figures_of_the_charts_are_there_without_javascript(open_tab, overview):
    tab = overview(open_tab(java_script_enabled=False))

    expect(tab.locator(".charts")).to_be_hidden()
    expect(tab.locator("#days tr[data-day]").first).to_be_visible()
    tab.locator("#days a").first.click()
    expect(tab.get_by_role("heading", name="Reports")).to_be_visible()
