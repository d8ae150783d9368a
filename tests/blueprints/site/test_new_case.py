"""Creating a case as a player."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import LEVEL_25_CENTS
from tests.blueprints.site.conftest import sign_in

pytestmark = pytest.mark.browser


@pytest.fixture
def creator(tab, site, player):
    """The page of a player of level 25, where cases are created."""
    site.count_as_lost(player, LEVEL_25_CENTS)
    sign_in(tab, site, player, item=None)
    tab.goto(f"{site.url}/new-case")
    expect(tab.locator("#found-items li")).to_have_count(12)
    return tab


def add(tab, name):
    """Adds the first item that a search finds; its price in cents."""
    tab.fill("#search", name)
    expect(tab.locator("#found-items li", has_not_text=name)).to_have_count(0)
    line = tab.locator("#found-items li").first
    line.get_by_role("button", name="Add").click()
    expect(line).to_contain_text("Remove")
    return round(float(line.locator(".coins").text_content().removesuffix(" coins").replace(",", "")) * 100)


def test_the_price_follows_the_items_and_the_case_can_be_opened(creator, site, player):
    first, second = add(creator, "Glacier Thread"), add(creator, "Sherbet Grid")
    chances = creator.get_by_role("textbox", name=re.compile("^Chance of"))
    chances.first.fill("0,125")
    expect(creator.locator("#chance-left")).to_have_text("99.875 % are left.")
    chances.last.fill("99.875")
    expect(creator.locator("#chance-left")).to_have_text("The chances are 100 % in all.")
    cents = -(-(first * 125 + second * 99_875) // 95_000)
    expect(creator.locator("#case-price")).to_have_text(f"{cents / 100:.2f} coins")
    name = f"Cold Snap {player['platformid'][-8:]}"
    creator.get_by_label("Name", exact=True).fill(name)

    creator.get_by_role("button", name="Create the case").click()

    expect(creator.locator("#game-title")).to_have_text(name)
    expect(creator.locator("#case-items .quiet").first).to_have_text("0.125 %")
    expect(creator.locator("#cases .card", has_text=name)).to_be_visible()
    case_id = name.lower().replace(" ", "-")
    assert site.get(f"/api/cases/{case_id}").json()["price"] == cents / 100


@pytest.mark.thorough
def test_every_item_can_be_found_page_by_page(creator):
    first = creator.locator("#found-items .name").first
    dearest = first.inner_text()

    creator.get_by_role("navigation", name="Pages of items").get_by_role("button", name="Next").click()

    expect(creator.get_by_text("Page 2 of")).to_be_visible()
    expect(first).not_to_have_text(dearest)


def test_what_is_missing_is_said_in_place_and_what_was_typed_stays(creator):
    creator.get_by_label("Name", exact=True).fill("Free lunch")
    for name in ("Glacier Thread", "Sherbet Grid", "Ember Orchid"):
        add(creator, name)
    creator.get_by_role("button", name="Same chance for all").click()
    creator.get_by_role("button", name="Create the case").click()

    expect(creator.locator("#new-case-problem")).to_have_text("Case name cannot start with 'free'.")
    expect(creator.get_by_role("textbox", name=re.compile("^Chance of")).first).to_have_value("33.3333333334")
    expect(creator.get_by_label("Name", exact=True)).to_have_value("Free lunch")
    creator.get_by_role("button", name=re.compile("^Remove ")).first.click()
    expect(creator.locator("#chance-left")).to_have_text("33.3333333334 % are left.")


@pytest.mark.thorough
def test_a_draft_stays_after_a_reload_but_not_for_another_player(creator, site):
    add(creator, "Glacier Thread")
    creator.get_by_role("textbox", name=re.compile("^Chance of")).fill("12.5")
    creator.get_by_label("Name", exact=True).fill("Cold Snap")
    creator.reload()
    expect(creator.get_by_label("Name", exact=True)).to_have_value("Cold Snap")
    expect(creator.get_by_role("textbox", name=re.compile("^Chance of"))).to_have_value("12.5")

    other = site.new_player()
    site.count_as_lost(other, LEVEL_25_CENTS)
    creator.goto(f"{site.url}/?token={other['token']}")
    creator.click("#offer-accept")
    creator.goto(f"{site.url}/new-case")

    expect(creator.get_by_label("Name", exact=True)).to_have_value("")
    expect(creator.locator("#case-draft li")).to_have_count(0)


@pytest.mark.thorough
def test_players_below_the_level_read_what_they_need(tab, site, player):
    sign_in(tab, site, player, item=None)

    tab.goto(f"{site.url}/new-case")

    expect(tab.locator("#new-case-note")).to_contain_text("You can create cases from level 25 on")
    tab.get_by_role("link", name="See all cases").click()
    expect(tab.locator("#page-title")).to_have_text("Cases")
