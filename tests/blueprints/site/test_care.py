"""Names for screen readers, reduced motion, zoom, and a next step where there is nothing yet."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, open_case, sign_in, spin, tab_to
from tests.support.chromium import resize

pytestmark = pytest.mark.browser

ZOOMED = pytest.mark.parametrize("size", [(640, 512), (320, 256)], ids=["200%", "400%"])
"""What is left of 1280 x 1024 pixels."""

RUNNING = """
    document.getAnimations()
        .filter(({ effect }) => !["step-end", "steps(1)"].includes(effect.getTiming().easing)).length
"""
"""A single step shows only the end. Browsers write it in either way."""


def test_the_wheel_is_named_by_where_it_stopped(shared):
    spin(shared)

    name = shared.locator("#wheel").get_attribute("aria-label")
    won = shared.locator("#game").get_attribute("data-outcome") == "won"
    where = "inside" if won else "outside"
    assert re.match(rf"The wheel: the needle stopped at [\d.]+ %, {where} the lit part", name)


def test_the_reel_is_named_by_the_item_at_which_it_stopped(shared):
    open_case(shared, "Night Shift")

    won = shared.locator("#case-items [data-won] .name").text_content()
    name = f"The reel of Night Shift stopped at {won}"
    expect(shared.locator("#reel")).to_have_attribute("aria-label", name)


def test_with_reduced_motion_nothing_moves_during_a_bet(shared):
    nonce = shared.locator("#nonce").text_content()
    shared.locator("#spin").click()

    expect(shared.locator("#game")).to_have_attribute("data-spinning", "")
    assert shared.evaluate(RUNNING) == 0
    expect(shared.locator(f"#proofs [data-nonce='{nonce}']")).to_be_visible()
    assert shared.evaluate(RUNNING) == 0


@ZOOMED
def test_a_zoomed_page_is_played_with_the_keyboard(shared, size):
    resize(shared, size)
    nonce = shared.locator("#nonce").text_content()

    shared.locator("#items button").first.focus()
    tab_to(shared, "#wager", key="Shift+Tab")
    expect(shared.locator("#wager")).to_be_in_viewport(ratio=1)
    tab_to(shared, "#spin")
    expect(shared.locator("#spin")).to_be_in_viewport(ratio=1)
    shared.keyboard.press("Enter")

    expect(shared.locator(f"#proofs [data-nonce='{nonce}']")).to_be_visible()
    assert shared.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_new_player_reads_how_far_the_next_rank_is(tab, site, player):
    sign_in(tab, site, player)
    go(tab, "Ranking")

    expect(tab.locator("#standing")).to_contain_text("You have not wagered in this period.")
    expect(tab.locator("#standing")).to_contain_text(re.compile(r"[\d,.]+ coins more to pass \w+\*\*\*"))


def test_a_search_without_cases_leads_back_to_all_cases(guest):
    go(guest, "Cases")
    guest.fill("#case-search", "no such case")
    guest.get_by_role("link", name="Show all cases").click()

    expect(guest.locator("#cases").get_by_role("link", name="Night Shift")).to_be_visible()


def test_a_guest_of_a_page_for_players_is_led_to_the_login(open_tab, production):
    tab = open_tab()
    tab.goto(f"{production.url}/account/prizes")

    login = tab.locator("#browse").get_by_role("link", name="Sign in with the game platform")
    expect(login).to_have_attribute("href", re.compile("/auth/platform"))
