"""Sharing the page of a bet."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import sign_in, spin
from tests.support.chromium import DESKTOP, PHONE, resize, violations

pytestmark = pytest.mark.browser

NOTE_SHARED = """
    globalThis.shared = [];
    Object.defineProperty(navigator, "share", { value: async ({ url }) => { shared.push(url); } });
"""


def newest_id(site, player):
    return site.get("/stats/fairness?limit=1", player).json()["data"]["items"][0]["id"]


def test_the_link_of_the_last_bet_is_copied(tab, site, player):
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(tab, site, player)
    spin(tab)

    tab.get_by_role("button", name="Share this bet").click()

    expect(tab.locator("#game .share")).to_have_text("Link copied")
    link = f"{site.url}/b/{newest_id(site, player)}"
    assert tab.evaluate("navigator.clipboard.readText()") == link
    item = tab.locator("#proofs .result a").first
    assert f"{site.url}{item.get_attribute('href')}" == link
    spin(tab)
    expect(tab.locator("#game .share")).to_have_text("Share")


def test_a_phone_offers_the_link_to_other_apps(open_tab, site, player):
    tab = open_tab(has_touch=True, is_mobile=True)
    tab.add_init_script(NOTE_SHARED)
    sign_in(tab, site, player)
    spin(tab)

    tab.locator("#proofs").get_by_role("button", name="Share spin").first.click()

    assert tab.evaluate("shared") == [f"{site.url}/b/{newest_id(site, player)}"]


def test_the_button_to_share_moves_nothing(shared):
    shared.fill("#wager", "0.01")
    for size in (DESKTOP, PHONE):
        resize(shared, size)
        before = [shared.locator(name).bounding_box() for name in ("#dial", "#spin")]

        spin(shared)

        expect(shared.get_by_role("button", name="Share this bet")).to_be_visible()
        assert [shared.locator(name).bounding_box() for name in ("#dial", "#spin")] == before, size
    assert violations(shared, "#game") == {}
