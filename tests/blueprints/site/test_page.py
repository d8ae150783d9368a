"""What a player sees and does on the built-in page."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import (
    expect_stacked,
    go,
    hold,
    open_case,
    open_details,
    refer,
    sign_in,
    spin,
    tab_to,
    win,
)
from tests.support.chromium import DESKTOP, PHONE, resize

pytestmark = pytest.mark.browser

LAST_OF_PAGE = 17
"""It costs 87.45 coins."""

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])


@SIZES
def test_wheel_wager_and_spin_are_visible_for_a_chosen_item(shared, size):
    resize(shared, size)
    item = shared.locator("#items button").last
    item.scroll_into_view_if_needed()

    item.click()

    expect(shared.locator("#dial")).to_be_in_viewport(ratio=1)
    expect(shared.locator("#spin")).to_be_in_viewport(ratio=1)
    shared.evaluate("scrollTo(0, 0)")
    expect_stacked(shared, size, "#dial", "#wager", "#spin")


@SIZES
def test_the_level_is_named_in_the_header(shared, size):
    resize(shared, size)

    account = shared.get_by_role("button", name=re.compile("your account"))

    expect(account).to_have_accessible_name(re.compile(r"\(your account\) Level \d+$"))
    expect(account.get_by_text("Level")).to_be_in_viewport(ratio=1)


@pytest.mark.regulation("4.4 Information for the player")
def test_a_new_player_reads_how_the_game_works(tab, site, player):
    sign_in(tab, site, player, item=None)
    expect(tab.locator("#how-it-works")).to_contain_text("Choose an item that is worth more than you wager")
    expect(tab.locator("#reading")).to_have_text("Choose an item")
    expect(tab.locator("#commitment")).to_be_hidden()

    tab.locator("#items button").first.click()

    expect(tab.locator("#how-it-works")).to_be_hidden()
    open_details(tab)
    expect(tab.locator("#commitment")).to_have_text(re.compile("^[0-9a-f]{64}$"))


def test_max_stops_at_the_balance_and_below_the_price(tab, site, player):
    sign_in(tab, site, player, item=None)

    for item, most in ((0, "100.00"), (LAST_OF_PAGE, "87.44")):
        tab.locator("#items button").nth(item).click()
        for button in ("most", "double"):
            tab.click(f"[data-wager={button}]")
            expect(tab.locator("#wager")).to_have_value(most)
        expect(tab.locator("#spin")).to_be_enabled()


def test_a_wager_may_be_written_with_a_decimal_comma(shared):
    shared.fill("#wager", "0,50")
    spin(shared)

    assert shared.spins[0]["amount"] == 0.5
    assert shared.input_value("#wager") == "0.50"


def test_a_wager_that_is_no_amount_is_explained(shared):
    for text in ("", "1,000.50", "0.505", "1e3", "five"):
        shared.fill("#wager", text)

        expect(shared.locator("#spin"), text).to_be_disabled()
        expect(shared.locator("#why-not"), text).to_contain_text("a number with at most two decimals")


def test_every_amount_is_in_coins(shared):
    # The chance to win is below one in 100,000.
    shared.fill("#wager", "0.01")
    spin(shared)

    assert "$" not in shared.locator("body").inner_text()
    assert shared.locator("#items .coins").first.text_content() == "2,489.00 coins"
    assert re.fullmatch(r"[\d,]+\.\d\d coins", shared.locator("#balance").text_content())


def test_a_proof_links_to_a_page_that_verifies_it(shared):
    nonce = shared.locator("#nonce").text_content()
    spin(shared)
    won = shared.locator("#game").get_attribute("data-outcome") == "won"

    with shared.context.expect_page() as opened:
        shared.get_by_role("link", name=f"Verify spin {nonce}").click()

    verify = opened.value
    expect(verify.locator("#verdict")).to_have_text("✓ The server seed is the one that was committed to.")
    expect(verify.locator("#outcome")).to_contain_text("Won" if won else "Lost")
    assert (verify.input_value("#betAmount"), verify.input_value("#price")) == ("1.00", "2489.00")
    verify.close()


def test_a_guest_sees_demo_bets_and_the_spins_of_players(guest, shared):
    expect(guest.locator("#bets tr")).to_have_count(10)
    go(guest, "Ranking")
    guest.select_option("#period", "monthly")
    expect(guest.locator("#leaders li", has_text="mot***")).to_be_visible()

    spin(shared)

    expect(guest.locator("#bets tr").first).to_contain_text(shared.player["username"])


def test_a_live_bet_shows_wager_payout_and_signed_net(site, guest, shared):
    shared.fill("#wager", "0.01")
    spin(shared)

    row = guest.locator("#bets tr").first
    expect(row).to_contain_text(shared.player["username"])
    bet = site.get("/stats/live-bets?limit=1").json()["data"]["bets"][0]
    net = bet["payout"] - bet["wager"]
    sign = "+" if net > 0 else "\N{MINUS SIGN}"
    amounts = [f"{bet['wager']:.2f}", f"{bet['payout']:,.2f}", f"{sign}{abs(net):,.2f}"]
    expect(row.locator(".coins")).to_have_text([f"{amount} coins" for amount in amounts])


def test_the_leaderboard_marks_the_own_row_only(site, shared):
    spin(shared)

    go(shared, "Ranking")

    own = shared.locator("#leaders li.own")
    expect(own).to_have_count(1)
    mine = site.get("/leaderboard/me", shared.player).json()
    expect(own).to_contain_text("ric*** you")
    expect(own).to_contain_text(f"{mine['wager']:,.2f} coins")
    expect(shared.locator("#standing")).to_contain_text(f"You are number {mine['rank']} with")
    without_wager = site.get("/leaderboard/me", site.new_player()).json()
    shared.route("**/leaderboard/me*", lambda route: route.fulfill(json=without_wager))
    go(shared, "Ranking")
    expect(own).to_have_count(0)


@pytest.fixture
def all_items(site, guest):
    """Shows the items to a guest; what the page says of their number when nothing is searched."""
    go(guest, "Upgrader")
    # Other tests import items.
    total = site.get("/upgrader/items/pagination?limit=1").json()["pagination"]["totalItems"]
    expect(guest.locator("#found")).to_have_text(f"{total} items")
    yield f"{total} items"
    guest.fill("#search", "")
    expect(guest.locator("#found")).to_have_text(f"{total} items")


def test_a_search_shows_matches_at_word_starts_first(guest, all_items):
    guest.fill("#search", "ak")
    expect(guest.locator("#found")).not_to_have_text(all_items)
    names = guest.locator("#items .card").all_inner_texts()
    starts = [bool(re.search(r"\bak", name, re.IGNORECASE)) for name in names]

    assert starts[0]
    assert not all(starts)
    assert starts == sorted(starts, reverse=True)
    guest.fill("#search", "(")
    expect(guest.locator("#found")).to_have_text("No items")


@pytest.mark.usefixtures("all_items")
def test_a_large_search_is_shown_in_pages_without_gaps(guest):
    with guest.expect_response(lambda response: "search=a" in response.url) as answered:
        guest.fill("#search", "a")
    found = answered.value.json()["pagination"]["totalItems"]
    expect(guest.locator("#found")).to_have_text(f"{found} items")
    seen = []
    for number in range(1, -(-found // 18) + 1):
        expect(guest.locator("#page-number")).to_contain_text(f"page {number} of")
        seen += guest.locator("#items .card").all_inner_texts()
        following = guest.get_by_role("button", name="Next")
        if following.is_enabled():
            following.click()

    assert len(seen) == len(set(seen)) == found > 36


def test_the_leaderboard_is_not_that_of_a_period_chosen_before(guest):
    guest.route("**/leaderboard?period=weekly", lambda _route: None)  # It is never answered.
    go(guest, "Ranking")
    guest.select_option("#period", "weekly")

    with guest.expect_event("requestfailed", lambda request: "weekly" in request.url):
        guest.select_option("#period", "monthly")

    expect(guest.locator("#leaders li", has_text="mot***")).to_be_visible()


def test_a_panel_that_failed_to_load_is_loaded_again(guest):
    guest.route("**/leaderboard?*", lambda route: route.abort())
    go(guest, "Ranking")
    expect(guest.locator("#leaders-note")).to_have_text(
        "The leaderboard could not be loaded: There is no connection to the server"
    )
    guest.unroute_all()

    go(guest, "Ranking")

    expect(guest.locator("#leaders-note")).to_be_empty()
    expect(guest.locator("#leaders li").first).to_be_visible()


def test_a_double_click_claims_earnings_once(tab, site, player):
    referred = site.new_player()
    refer(site, referred, player)
    site.run("payments", "record", referred["platformid"], "deposit", "100.2", "--txhash", "ab" * 32)
    site.count_as_lost(referred, 2_000_00)
    go(sign_in(tab, site, player, item=None), "Referrals")

    hold(tab, "**/affiliate/claim", tab.get_by_role("button", name="Claim").dblclick).continue_()

    expect(tab.locator("#claim-said")).to_have_text("You claimed 8.00 coins.")
    tab.wait_for_load_state("networkidle")
    assert tab.locator("#claim-said").text_content() == "You claimed 8.00 coins."


@SIZES
def test_a_lost_and_a_won_spin_move_nothing(shared, size):
    resize(shared, size)
    below = "document.getElementById('fairness').offsetTop"
    at_first = shared.evaluate(below)

    spin(shared)
    after_one = shared.evaluate(below)
    win(shared)

    assert at_first == after_one == shared.evaluate(below)


COUNT_BURSTS = """
  globalThis.bursts = 0;
  const isBurst = (node) => node.className === "burst";
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) bursts += [...addedNodes].filter(isBurst).length;
  }).observe(document.body, { childList: true });
"""


@pytest.mark.security("Sessions in the browser")
@pytest.mark.regulation("RTS 14F: no false wins")
def test_a_win_is_celebrated_unless_motion_is_reduced(tab, site, player):
    tab.emulate_media(reduced_motion="no-preference")
    violations = []
    tab.on("console", lambda message: violations.append(message.text) if "Policy" in message.text else None)
    sign_in(tab, site, player)
    tab.evaluate(COUNT_BURSTS)

    for motion, bursts in (("no-preference", 1), ("reduce", 1)):
        tab.emulate_media(reduced_motion=motion)
        win(tab)
        expect(tab.locator("#outcome")).to_contain_text("You won 2.70 coins, the price of MP7 | Sherbet Grid")
        expect(tab.locator("#reading")).to_have_text("+0.01 coins")
        assert tab.evaluate("bursts") == bursts, motion
        expect(tab.locator(".burst")).to_have_count(0)
        tab.fill("#wager", "1")
    tab.emulate_media(reduced_motion="no-preference")
    open_case(tab, "Pocket Lint")

    assert "unsafe" not in tab.request.get(site.url).headers["content-security-policy"]
    assert violations == []


def test_the_theme_follows_the_system_until_the_player_switches_it(guest):
    def background():
        return guest.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    guest.emulate_media(color_scheme="light")
    light = background()
    guest.emulate_media(color_scheme="dark")
    dark = background()

    guest.get_by_role("button", name="Switch between light and dark").click()

    assert dark != light == background()
    guest.reload()
    assert background() == light
    guest.evaluate("localStorage.clear()")


def test_the_page_reconnects_after_a_restart_of_the_server(site, shared):
    spin(shared)

    assert site.server.stop() == 0
    expect(shared.locator("#why-not")).to_contain_text("no connection")
    site.start()

    expect(shared.locator("#line")).to_have_text("Live", timeout=60_000)
    assert "Verified" in spin(shared)


def test_skip_links_lead_the_keyboard_to_the_parts(shared):
    shared.reload()
    shared.keyboard.press("Tab")
    expect(shared.get_by_role("link", name="Skip to the bet")).to_be_focused()
    for part in ("game", "browse", "played"):
        shared.locator(f".skips [href='#{part}']").focus()
        shared.keyboard.press("Enter")
        expect(shared.locator(f"#{part}")).to_be_focused()

    assert "#" not in shared.url


def test_an_item_that_is_chosen_by_keyboard_leads_to_the_wager_and_back(shared):
    shared.locator("#items button").nth(9).press("Enter")
    expect(shared.locator("#wager")).to_be_focused()
    shared.keyboard.insert_text("3")
    expect(shared.locator("#wager")).to_have_value("3")

    tab_to(shared, "main .skip")
    shared.keyboard.press("Enter")

    expect(shared.locator("#items")).to_be_focused()
    shared.locator("#items button").nth(8).click()
    expect(shared.locator("#items button").nth(8)).to_be_focused()


def test_an_aim_by_keyboard_leads_to_the_wager(shared):
    shared.get_by_label("Aim for").fill("2")

    shared.keyboard.press("Enter")

    expect(shared.locator("#wager")).to_be_focused()


def test_on_a_phone_no_bet_stays_beside_the_account(shared):
    resize(shared, PHONE)
    go(shared, "Limits and breaks")

    shared.locator("#break-form").scroll_into_view_if_needed()
    expect(shared.locator("#spin")).not_to_be_in_viewport()
    go(shared, "Upgrader")

    expect(shared.locator("#spin")).to_be_in_viewport()


@pytest.mark.regulation("RTS 12C: easy to find")
def test_spin_opening_and_account_work_with_the_keyboard_alone(tab, site, player):
    sign_in(tab, site, player, item=None)

    tab_to(tab, "#items button")
    tab.keyboard.press("Enter")
    expect(tab.locator("#wager")).to_be_focused()
    tab.keyboard.insert_text("2")
    tab.keyboard.press("Enter")
    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")
    assert tab.spins[0]["amount"] == 2
    tab_to(tab, "#proofs a[href^='/verify']")
    with tab.context.expect_page() as opened:
        tab.keyboard.press("Enter")
    expect(opened.value.locator("#verdict")).to_contain_text("✓")

    tab_to(tab, ".sections [href='/cases']", key="Shift+Tab")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Cases").first).to_be_focused()
    tab.locator("#cases li a").nth(1).wait_for()
    tab_to(tab, "#cases li:nth-child(2) a")
    tab.keyboard.press("Enter")
    expect(tab.locator("#game-title")).to_be_focused()
    expect(tab.locator("#spin")).to_contain_text("Open for")
    tab_to(tab, "#spin")
    tab.keyboard.press("Enter")
    expect(tab.locator("#proofs .verdict")).to_have_count(2)

    tab_to(tab, "#player > button", key="Shift+Tab")
    tab.keyboard.press("Enter")
    tab_to(tab, "#sign-out")
    tab.keyboard.press("Enter")
    expect(tab.locator("#spectator a").first).to_be_focused()
    tab.reload()
    expect(tab.locator("#spectator")).to_be_visible()


def test_the_page_connects_to_its_own_origin_only(tab, site):
    with tab.expect_websocket(lambda own: own.url.startswith(site.url.replace("http", "ws"))) as socket:
        tab.goto(site.url)
    socket.value.wait_for_event("framereceived")

    refused = tab.evaluate("""async () => {
        const refused = [];
        document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
        const other = new WebSocket("ws://127.0.0.2:9/");
        await new Promise(resolve => { other.onerror = resolve; });
        return refused;
    }""")

    assert refused == ["connect-src"]
