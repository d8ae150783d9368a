"""Openings of cases on the built-in page: the reel, the proof, and refusals."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import DESKTOP, PHONE, expect_stacked, tab_to

pytestmark = pytest.mark.browser

CASE = "Pocket Lint"

CELL_AT_MARKER = """
  const reel = document.getElementById("reel").getBoundingClientRect();
  const marker = reel.left + reel.width / 2;
  const places = [...document.querySelectorAll(".cell")].map((cell) => [cell, cell.getBoundingClientRect()]);
  const [cell, { left, width }] = places.find(([, { left, right }]) => left <= marker && marker < right);
  ({ item: cell.innerText.trim(), within: (marker - left) / width, isMarked: "won" in cell.dataset });
"""
"""The cell of the reel that the marker points at, and where in the cell."""


def range_of(bet):
    """The first ticket and the width of the item that a bet won."""
    start = 0
    for item in bet["items"]:
        width = int(item["width"])
        if item["name"] == bet["item"]:
            return start, width
        start += width
    raise AssertionError("the case does not contain the item")


def newest_bet(site, player):
    """The newest bet of a player, as anybody may look it up."""
    entry = site.get("/stats/fairness?limit=1", player).json()["data"]["items"][0]
    return site.get(f"/bets/{entry['id']}").json()


def test_the_reel_stops_where_the_ticket_says(site, tab, sign_in, open_case, player):
    open_case(sign_in(tab, player, item=None), CASE)

    bet = newest_bet(site, player)
    start, width = range_of(bet)
    cell = tab.evaluate(CELL_AT_MARKER)
    assert (cell["item"], cell["isMarked"]) == (bet["item"], True)
    assert cell["within"] == pytest.approx((int(bet["ticket"]) - start) / width, abs=0.03)
    expect(tab.locator("#case-items [data-won] .name")).to_have_text(bet["item"])


def test_an_opening_is_charged_paid_and_verified(site, tab, sign_in, open_case, player):
    verdict = open_case(sign_in(tab, player, item=None), CASE)

    assert "Verified" in verdict
    bet = newest_bet(site, player)
    assert (bet["game"], bet["betAmount"], bet["pf"]["nonce"]) == ("case", 0.69, 1)
    expect(tab.locator("#balance")).to_have_text(f"{100 - 0.69 + bet['payout']:.2f} coins")
    expect(tab.locator("#outcome")).to_contain_text(bet["item"])
    expect(tab.locator("#fairness-state")).to_have_text("✓ Opening 1 verified")


def test_an_opening_links_to_the_page_that_verifies_it_and_to_the_bet(site, tab, sign_in, open_case, player):
    open_case(sign_in(tab, player, item=None), CASE)

    with tab.context.expect_page() as opened:
        tab.get_by_role("link", name="Verify opening 1").click()
    expect(opened.value.locator("#verdict")).to_have_text(
        "✓ The server seed is the one that was committed to."
    )
    bet = newest_bet(site, player)
    expect(opened.value.locator("#result")).to_contain_text(bet["item"])
    shared = tab.get_by_role("link", name="Share bet 1").get_attribute("href")
    assert site.get(shared).json() == bet


@pytest.mark.parametrize("changed", ["pf", "snapshot"])
def test_an_opening_that_was_tampered_with_is_not_verified(tab, sign_in, open_case, player, changed):
    def tamper(page):
        def forward(message):
            if changed == "pf" and message.startswith('42["case:pf"'):
                message = re.sub(r'"ticket":"\d+"', '"ticket":"0"', message)
            if changed == "snapshot" and '["case:proof"' in message:
                message = re.sub(r'"snapshot":"\w+"', f'"snapshot":"{"0" * 64}"', message)
            page.send(message)

        page.connect_to_server().on_message(forward)

    tab.route_web_socket("**/socket.io/**", tamper)

    assert "NOT verified" in open_case(sign_in(tab, player, item=None), CASE)


def test_a_case_whose_snapshot_is_not_the_one_of_its_hash_is_not_shown(tab, sign_in, player):
    tab.route("**/snapshots/*", lambda route: route.fulfill(json={"id": "x", "items": [], "price": "1"}))
    sign_in(tab, player, item=None)
    tab.get_by_role("tab", name="Cases").click()

    tab.get_by_role("button", name=CASE).click()

    expect(tab.locator("#cases-note")).to_contain_text("is not the one that its hash names")
    expect(tab.locator("#opening")).to_be_hidden()


def test_a_level_case_opens_for_players_of_its_level_only(site, tab, sign_in, choose_case, open_case, player):
    (expert,) = site.run("users", "create", "expert", "--balance=100", "--level=10")
    choose_case(sign_in(tab, player, item=None), "Level 10 Shoelace")
    tab.locator("#spin:enabled").click()
    expect(tab.locator("#outcome")).to_have_text("The opening was refused: Your level is too low.")

    tab.evaluate("sessionStorage.clear()")

    assert "Verified" in open_case(sign_in(tab, expert, item=None), "Level 10 Shoelace")


def test_the_free_case_costs_nothing_and_opens_once(site, tab, sign_in, open_case, refer, player):
    refer(player)
    sign_in(tab, player, item=None)
    expect(tab.locator("#balance")).to_have_text("100.20 coins")

    assert "Verified" in open_case(tab, "Daily Crumbs")

    expect(tab.locator("#spin")).to_have_text("Open for free")
    payout = newest_bet(site, player)["payout"]
    expect(tab.locator("#balance")).to_have_text(f"{100.2 + payout:.2f} coins")
    tab.locator("#spin:enabled").click()
    expect(tab.locator("#outcome")).to_have_text("The opening was refused: Free case is not available.")


@pytest.mark.parametrize(
    ("chances", "reason"), [([40, 60], "Case price has changed"), ([50, 25, 25], "Case has changed")]
)
def test_a_case_that_has_changed_is_shown_anew_and_opened_again(
    site, tab, sign_in, choose_case, import_case, player, chances, reason
):
    import_case([50, 50])
    choose_case(sign_in(tab, player, item=None), "Shifting Sands")
    before = tab.locator("#case-items").inner_text()
    import_case(chances)

    tab.locator("#spin:enabled").click()

    expect(tab.locator("#outcome")).to_have_text(
        f"The opening was refused: {reason}. This is the case as it is now."
    )
    assert tab.locator("#case-items").inner_text() != before
    tab.locator("#spin:enabled").click()
    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")


def test_a_case_that_costs_more_than_the_balance_is_explained(tab, sign_in, choose_case, player):
    choose_case(sign_in(tab, player, item=None), "Masks and Mirrors")

    expect(tab.locator("#spin")).to_be_disabled()
    expect(tab.locator("#why-not")).to_have_text("Your balance is too small for this case.")


def test_a_guest_sees_a_case_and_why_it_can_not_be_opened(tab, site, choose_case):
    tab.goto(site.url)

    choose_case(tab, CASE)

    expect(tab.locator("#case-items li")).to_have_count(6)
    expect(tab.locator("#case-items li").first).to_contain_text(re.compile(r"\d %.*coins"))
    expect(tab.locator("#why-not")).to_contain_text("guest")


def test_cases_are_searched_by_name(tab, site):
    tab.goto(site.url)
    tab.get_by_role("tab", name="Cases").click()
    expect(tab.get_by_role("button", name="Barista at Home")).to_be_visible()

    tab.fill("#case-search", "night")

    expect(tab.locator("#cases button")).to_have_count(1)
    expect(tab.locator("#cases button")).to_contain_text("Night Shift")


def test_openings_and_spins_are_listed_after_a_reload(tab, sign_in, open_case, spin, player):
    spin(sign_in(tab, player))
    open_case(tab, CASE)

    tab.reload()

    lines = tab.locator("#proofs > li")
    expect(lines).to_have_count(2)
    expect(lines.nth(0)).to_contain_text(re.compile(r"Opening 2 · .* for 0\.69 coins · ticket"))
    expect(lines.nth(1)).to_contain_text("Spin 1 · rolled")


def test_the_page_goes_back_from_a_case_to_the_wheel(tab, sign_in, choose_case, spin, player):
    choose_case(sign_in(tab, player), CASE)

    tab.get_by_role("button", name="Back to the wheel").click()

    expect(tab.locator("#wager")).to_be_focused()
    assert "Verified" in spin(tab)
    assert len(tab.spins) == 1


def test_a_lost_answer_to_an_opening_is_asked_for_again_and_opened_once(
    tab, site, sign_in, open_case, lose_first_answer, player
):
    lost = lose_first_answer(tab)

    assert "Verified" in open_case(sign_in(tab, player, item=None), CASE)

    assert len(lost) == 1
    assert site.get("/stats/games", player).json()["data"]["totalGames"] == 1


def test_a_case_is_opened_with_the_keyboard_alone(tab, sign_in, player):
    sign_in(tab, player, item=None)
    tab_to(tab, "#items-tab")
    tab.keyboard.press("ArrowRight")
    tab_to(tab, "#cases li:nth-child(2) button")
    tab.keyboard.press("Enter")
    expect(tab.locator("#spin")).to_contain_text("Open for")

    tab_to(tab, "#spin", key="Shift+Tab")
    tab.keyboard.press("Enter")

    expect(tab.locator("#proofs .verdict")).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_reel_and_button_are_visible_together_and_an_opening_moves_nothing(
    open_tab, sign_in, choose_case, import_case, player, size
):
    # The outcome contains the item's name. Each item has a name with which it takes three lines.
    import_case([50, 50], item="StatTrak™ Sand Castle | Low Tide in the Evening (Battle-Scarred)")
    tab = open_tab(size)
    choose_case(sign_in(tab, player, item=None), "Shifting Sands")
    expect(tab.locator("#spin")).to_be_enabled()
    expect_stacked(tab, size, "#reel", "#spin")
    before = [tab.locator(name).bounding_box() for name in ("#reel", "#spin", "#case-items")]

    tab.locator("#spin:enabled").click()
    expect(tab.locator("#proofs .verdict")).to_be_visible()

    assert [tab.locator(name).bounding_box() for name in ("#reel", "#spin", "#case-items")] == before
    assert tab.evaluate("document.documentElement.scrollWidth") == size[0]


@pytest.fixture
def import_case(site, tmp_path):
    """Imports the case "Shifting Sands" with these chances of its items, and the items."""
    # Dearer than the items that tests of the catalogue choose from its first page: the server is shared.
    prices = (6, 3, 3)

    def import_rows(area, rows):
        file = tmp_path / f"{area}.json"
        file.write_text(json.dumps(rows))
        site.run(area, "import", str(file))

    def import_case(chances, item="Sand"):
        names = [f"{item} {number}" for number in range(1, len(chances) + 1)]
        priced = zip(names, prices, strict=False)
        import_rows(
            "items", [{"appid": 730, "marketHashName": name, "price": price} for name, price in priced]
        )
        contents = [
            {"marketHashName": name, "percentage": chance}
            for name, chance in zip(names, chances, strict=True)
        ]
        import_rows("cases", [{"name": "Shifting Sands", "items": contents}])

    return import_case
