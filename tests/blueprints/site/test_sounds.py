"""Sounds, which are off until the player turns them on."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import sign_in, spin

pytestmark = pytest.mark.browser

COUNT_TONES = """
    globalThis.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) { tones += 1; return start.apply(this, when); };
"""


@pytest.fixture
def page(tab, site, player):
    tab.add_init_script(COUNT_TONES)
    return sign_in(tab, site, player)


def test_a_bet_is_silent_until_the_player_turns_sounds_on(page):
    spin(page)
    assert page.evaluate("tones") == 0

    page.get_by_role("button", name="Sounds").click()
    before = page.evaluate("tones")
    spin(page)

    assert page.evaluate("tones") > before > 0


def test_sounds_stay_on_after_a_reload(page):
    page.get_by_role("button", name="Sounds").click()

    page.reload()

    expect(page.get_by_role("button", name="Sounds")).to_have_attribute("aria-pressed", "true")


def test_with_reduced_motion_nothing_ticks_while_the_wheel_turns(page):
    page.get_by_role("button", name="Sounds").click()
    page.evaluate("tones = 0")

    spin(page)

    assert page.evaluate("tones") <= 4, "only the sound of the outcome"
