"""The charts of the overview in a real browser, from the figures in its tables."""

import pytest
from playwright.sync_api import expect

from tests.harness.waiting import wait_until
from tests.support.chromium import PHONE, resize

pytestmark = pytest.mark.browser

IS_DRAWN = """
  (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)
"""


def test_the_charts_are_drawn_from_the_table_below_them(tab, office_site, demo_address):
    tab.goto(demo_address)

    def has_figures():
        tab.goto(f"{office_site.url}/office/")
        return tab.locator("#days tr[data-day]").count() and tab.get_by_text("As of").count()

    wait_until(has_figures, seconds=30)

    for name in ("gross gaming revenue", "return to player"):
        chart = tab.get_by_role("img", name=f"Chart of the {name}")
        expect(chart.locator("canvas")).to_have_count(1)
        assert chart.locator("canvas").evaluate(IS_DRAWN)
    resize(tab, PHONE)
    expect(tab.locator(".charts canvas")).to_have_count(2)
