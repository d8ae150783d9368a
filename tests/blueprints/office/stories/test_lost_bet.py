"""A player asks why a bet was lost."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.office.stories.conftest import local_player
from tests.support.table import Table

pytestmark = pytest.mark.browser


def test_support_explains_a_lost_bet_with_its_roll_and_computes_it_again(site, player, new_person):
    with site.app() as app:
        bet = Table(app).spin(local_player(player), wager="2", price=10)
    roll, threshold = f"{bet.roll:,}", f"{bet.threshold:,}"
    person = new_person("support")

    tab = person.find(player)
    tab.get_by_role("link", name="Bets", exact=True).click()
    row = tab.get_by_role("row").filter(has_text="Item of 10")
    expect(row).to_contain_text("lost")
    row.get_by_role("link", name=str(bet.nonce), exact=True).click()
    percent = f"{bet.roll / 100_000:.5f} %"
    expected = f"The roll was {roll} of 10,000,000 ({percent}). It wins below {threshold}"
    expect(tab.get_by_text(expected)).to_be_visible()
    tab.get_by_role("link", name="Compute the roll again").click()

    expect(tab.locator("#outcome")).to_contain_text("Lost: the roll is not below")
    expect(tab.locator("#verdict")).to_contain_text("✓ The server seed is")
    expect(tab.locator("#roll")).to_contain_text(str(bet.roll))
    expect(tab.locator("#threshold")).to_contain_text(str(bet.threshold))
