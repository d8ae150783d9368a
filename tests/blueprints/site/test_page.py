"""What a player sees and does on the built-in page."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import DESKTOP, PHONE, expect_stacked, open_details, tab_to

pytestmark = pytest.mark.browser

LAST_OF_PAGE = 17
"""It costs 87.45 coins, less than a player's balance of 100."""

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])


@SIZES
def test_wheel_wager_and_spin_are_visible_together(open_tab, sign_in, player, size):
    tab = sign_in(open_tab(size), player)

    expect_stacked(tab, size, "#dial", "#wager", "#spin")


@SIZES
def test_choosing_an_item_brings_the_wheel_into_view(open_tab, sign_in, player, size):
    tab = sign_in(open_tab(size), player, item=None)
    item = tab.locator("#items button").last
    item.scroll_into_view_if_needed()

    item.click()

    expect(tab.locator("#dial")).to_be_in_viewport(ratio=1)
    expect(tab.locator("#spin")).to_be_in_viewport(ratio=1)


@SIZES
def test_the_page_is_not_wider_than_the_window(open_tab, sign_in, spin, player, size):
    tab = sign_in(open_tab(size), player)
    spin(tab)

    assert tab.evaluate("document.documentElement.scrollWidth") == size[0]


def test_a_new_player_reads_how_the_game_works_until_an_item_is_chosen(tab, sign_in, player):
    sign_in(tab, player, item=None)
    expect(tab.locator("#how-it-works")).to_contain_text("Choose an item that is worth more than you wager")
    expect(tab.locator("#reading")).to_have_text("Choose an item")

    tab.locator("#items button").first.click()

    expect(tab.locator("#how-it-works")).to_be_hidden()


def test_fairness_values_are_in_a_section_that_is_closed_at_first(signed_in):
    expect(signed_in.locator("#commitment")).to_be_hidden()

    open_details(signed_in)

    expect(signed_in.locator("#commitment")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    expect(signed_in.locator("#client-seed")).to_be_visible()


@pytest.mark.parametrize(("item", "most"), [(0, "100.00"), (LAST_OF_PAGE, "87.44")])
def test_max_stops_at_the_balance_and_below_the_price_of_the_item(tab, sign_in, player, item, most):
    sign_in(tab, player, item=item)

    tab.click("[data-wager=most]")

    assert tab.input_value("#wager") == most
    expect(tab.locator("#spin")).to_be_enabled()
    tab.click("[data-wager=double]")
    assert tab.input_value("#wager") == most


def test_max_stops_at_the_highest_wager_of_the_rules(site, tab, sign_in, player):
    rules = site.get("/upgrader/rules").json()
    tab.route("**/upgrader/rules", lambda route: route.fulfill(json=rules | {"maxWager": 7.5}))
    sign_in(tab, player)

    tab.click("[data-wager=most]")

    assert tab.input_value("#wager") == "7.50"


def test_a_wager_may_be_written_with_a_decimal_comma(signed_in, spin):
    signed_in.fill("#wager", "0,50")
    spin(signed_in)

    assert signed_in.spins[0]["amount"] == 0.5
    assert signed_in.input_value("#wager") == "0.50"


@pytest.mark.parametrize("text", ["", "1,000.50", "0.505", "1e3", "five"])
def test_a_wager_that_is_no_amount_is_explained(signed_in, text):
    signed_in.fill("#wager", text)

    expect(signed_in.locator("#spin")).to_be_disabled()
    expect(signed_in.locator("#why-not")).to_contain_text("an amount with at most two decimals")


def test_every_amount_is_in_coins(signed_in, spin):
    # The chance to win is below one in 100,000.
    signed_in.fill("#wager", "0.01")
    spin(signed_in)

    text = signed_in.locator("body").inner_text()
    assert "$" not in text
    assert signed_in.locator("#items .coins").first.text_content() == "2,489.00 coins"
    assert signed_in.locator("#balance").text_content() == "99.99 coins"


def test_earlier_spins_are_listed_with_pictures_after_a_reload(signed_in, spin):
    spin(signed_in)
    spin(signed_in)
    signed_in.reload()

    expect(signed_in.locator("#proofs > li")).to_have_count(2)
    newest = signed_in.locator("#proofs > li").first
    expect(newest).to_contain_text("Spin 2 · rolled")
    picture = newest.locator("img").evaluate("image => image.decode().then(() => image.src)")
    assert picture.endswith("/media/items/karambit-glacier-thread-factory-new.webp")


def test_a_proof_links_to_a_page_that_verifies_it(signed_in, spin):
    spin(signed_in)
    won = signed_in.locator("#game").get_attribute("data-outcome") == "won"

    with signed_in.context.expect_page() as opened:
        signed_in.get_by_role("link", name="Verify spin 1").click()

    verify = opened.value
    expect(verify.locator("#verdict")).to_have_text("✓ The server seed is the one that was committed to.")
    expect(verify.locator("#outcome")).to_contain_text("Won" if won else "Lost")
    assert (verify.input_value("#betAmount"), verify.input_value("#price")) == ("1.00", "2489.00")


def test_live_bets_and_leaderboard_show_the_demo_bets_of_a_fresh_start(tab, site):
    tab.goto(site.url)

    expect(tab.locator("#bets tr")).to_have_count(10)
    tab.get_by_role("tab", name="Leaderboard").click()
    tab.select_option("#period", "monthly")
    expect(tab.locator("#leaders li", has_text="har***")).to_be_visible()


def test_a_spin_appears_in_the_live_bets_of_a_guest(open_tab, sign_in, spin, site, player):
    guest = open_tab()
    guest.goto(site.url)
    expect(guest.locator("#bets tr")).to_have_count(10)

    spin(sign_in(open_tab(), player))

    expect(guest.locator("#bets tr").first).to_contain_text(player["username"])


def win(tab, spin):
    """Spins for a cheap item with a chance of 95 % until the player wins."""
    tab.select_option("#sort", "Ascending")
    tab.get_by_role("button", name="Sherbet Grid").click()
    tab.click("[data-wager=most]")
    while tab.locator("#game").get_attribute("data-outcome") != "won":
        spin(tab)


@SIZES
def test_a_lost_and_a_won_spin_move_nothing(open_tab, sign_in, spin, player, size):
    tab = sign_in(open_tab(size), player)
    below = "document.getElementById('fairness').offsetTop"
    at_first = tab.evaluate(below)

    spin(tab)
    after_one = tab.evaluate(below)
    win(tab, spin)

    assert at_first == after_one == tab.evaluate(below)


@pytest.mark.parametrize(("motion", "bursts"), [("no-preference", 1), ("reduce", 0)])
def test_a_win_is_celebrated_with_a_burst_unless_motion_is_reduced(
    open_tab, sign_in, spin, player, motion, bursts
):
    tab = sign_in(open_tab(reduced_motion=motion), player)
    tab.evaluate("""
      globalThis.bursts = 0;
      const isCanvas = (node) => node.tagName === "CANVAS";
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) bursts += [...addedNodes].filter(isCanvas).length;
      }).observe(document.body, { childList: true });
    """)

    win(tab, spin)

    expect(tab.locator("#outcome")).to_contain_text("You won 2.70 coins, the price of MP7 | Sherbet Grid")
    expect(tab.locator("#reading")).to_have_text("+2.70 coins")
    assert tab.evaluate("bursts") == bursts
    expect(tab.locator("canvas.burst")).to_have_count(0)


def test_the_theme_follows_the_system_until_the_player_switches_it(open_tab, site):
    tab = open_tab(color_scheme="light")
    tab.goto(site.url)
    light = background(tab)
    tab.emulate_media(color_scheme="dark")
    dark = background(tab)

    tab.get_by_role("button", name="Switch between light and dark").click()

    assert dark != light == background(tab)
    tab.reload()
    assert background(tab) == light


def background(tab):
    return tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def test_the_page_reconnects_after_a_restart_of_the_server(site, signed_in, spin):
    spin(signed_in)

    assert site.server.stop() == 0
    expect(signed_in.locator("#why-not")).to_contain_text("no connection")
    site.start()

    expect(signed_in.locator("#line")).to_have_text("Live", timeout=60_000)
    assert "Verified" in spin(signed_in)


def test_a_spin_whose_answer_is_lost_is_asked_for_again_and_played_once(
    tab, site, sign_in, spin, lose_first_answer, player
):
    lost = lose_first_answer(tab)
    sign_in(tab, player)

    assert "Verified" in spin(tab)

    assert len(lost) == 1
    assert site.get("/stats/games", player).json()["data"]["totalGames"] == 1


def test_a_balance_that_is_overtaken_by_a_newer_one_is_not_shown(tab, sign_in, player):
    def overtake(page):
        def forward(message):
            if message.startswith('42["balance"'):
                name, payload = json.loads(message.removeprefix("42"))
                newer = payload | {"balance": 50, "version": payload["version"] + 1}
                page.send("42" + json.dumps([name, newer]))
            page.send(message)

        page.connect_to_server().on_message(forward)

    tab.route_web_socket("**/socket.io/**", overtake)

    sign_in(tab, player)

    assert tab.locator("#balance").text_content() == "50.00 coins"


def test_a_player_whose_token_is_refused_becomes_a_guest(tab, site):
    tab.goto(f"{site.url}/?token=no-token")

    expect(tab.locator("#notice")).to_have_text("Your session has expired. Please sign in again.")
    expect(tab.locator("#spectator")).to_be_visible()
    expect(tab.locator("#line")).to_have_text("Live")


def test_a_spin_is_played_with_the_keyboard_alone(tab, sign_in, player):
    sign_in(tab, player, item=None)

    tab_to(tab, "#items button")
    tab.keyboard.press("Enter")
    tab_to(tab, "#wager", key="Shift+Tab")
    tab.keyboard.insert_text("2")
    tab.keyboard.press("Enter")

    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")
    assert tab.spins[0]["amount"] == 2
    tab_to(tab, "#proofs a")
    with tab.context.expect_page() as opened:
        tab.keyboard.press("Enter")
    expect(opened.value.locator("#verdict")).to_contain_text("✓")


def test_tabs_and_account_are_reached_with_the_keyboard_alone(tab, sign_in, player):
    sign_in(tab, player, item=None)

    tab_to(tab, "#items-tab")
    tab.keyboard.press("ArrowRight")
    expect(tab.get_by_role("tab", name="Cases")).to_be_focused()
    tab_to(tab, "#player > button", key="Shift+Tab")
    tab.keyboard.press("Enter")
    tab_to(tab, "#sign-out")
    tab.keyboard.press("Enter")

    expect(tab.locator("#spectator")).to_be_visible()


def test_nothing_on_the_page_violates_its_security_policy(open_tab, sign_in, spin, open_case, player):
    tab = open_tab(reduced_motion="no-preference")
    violations = []
    tab.on("console", lambda message: violations.append(message.text) if "Policy" in message.text else None)
    sign_in(tab, player)

    win(tab, spin)
    open_case(tab, "Pocket Lint")

    policy = tab.request.get(tab.url).headers["content-security-policy"]
    assert "unsafe" not in policy
    assert violations == []
