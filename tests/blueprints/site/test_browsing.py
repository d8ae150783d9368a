"""The lists beside the game: items, cases, live bets and the ranking, with what is chosen in the address."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, newest_bet, open_case, sign_in, spin
from tests.support.chromium import NARROW, PHONE, resize

pytestmark = pytest.mark.browser

TIMES = "\N{MULTIPLICATION SIGN}"


def prices(within):
    return [float(text.removesuffix(" coins").replace(",", "")) for text in within.all_text_contents()]


# Items


def test_items_are_searched_filtered_and_sorted_in_the_address(tab, site):
    tab.goto(site.url)
    tab.select_option("#wear", "Field-Tested")
    tab.select_option("#sort", "Ascending")
    tab.fill("#minPrice", "20,5")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile("minPrice=20.5"))

    tab.reload()

    expect(tab.locator("#items li", has_not_text="Field-Tested")).to_have_count(0)
    expect(tab.locator("#items button").first).to_be_visible()
    shown = prices(tab.locator("#items .coins"))
    assert shown == sorted(shown)
    assert shown[0] >= 20.5
    tab.fill("#search", "no such item")
    tab.get_by_role("link", name="Show all items").click()
    expect(tab.locator("#minPrice")).to_have_value("")
    expect(tab.locator("#items button")).to_have_count(18)


@pytest.mark.thorough
def test_a_large_search_is_shown_in_pages_without_gaps(tab, site):
    tab.goto(site.url)
    with tab.expect_response(lambda response: "search=a" in response.url) as answered:
        tab.fill("#search", "a")
    found = answered.value.json()["pagination"]["totalItems"]
    expect(tab.locator("#found")).to_have_text(f"{found} items")
    pages, seen = -(-found // 18), []
    for number in range(1, pages + 1):
        expect(tab.locator("#page-number")).to_contain_text(f"page {number} of {pages}")
        seen += tab.locator("#items .card").all_inner_texts()
        if number < pages:
            tab.get_by_role("button", name="Next").click()

    assert len(seen) == len(set(seen)) == found > 36


def test_items_are_near_the_wager_until_the_filter_is_removed(tab, site):
    tab.goto(site.url)
    near, found = tab.get_by_role("button", name=f"2{TIMES} to 10{TIMES} the wager"), tab.locator("#found")
    expect(near).to_have_attribute("aria-pressed", "true")
    expect(tab.locator("#items button").first).to_be_visible()
    shown = prices(tab.locator("#items .coins"))
    assert 2 <= shown[0] <= shown[-1] <= 10
    assert shown == sorted(shown)

    tab.fill("#wager", "20")

    wanted = site.get("/upgrader/items/pagination?minPrice=40&maxPrice=200").json()["pagination"]
    expect(found).to_have_text(f"{wanted['totalItems']} items")
    near.click()
    everything = site.get("/upgrader/items/pagination").json()["pagination"]
    expect(found).to_have_text(f"{everything['totalItems']} items")
    tab.reload()
    expect(near).to_have_attribute("aria-pressed", "false")


def test_a_phone_folds_the_filters_of_battles_and_of_ones_own_lists(tab, site, player):
    sign_in(tab, site, player, item=None)
    resize(tab, PHONE)
    for path, filters in (
        ("/battles?mode=normal", "[aria-label='Price from, in coins']"),
        ("/account/bets?show=game%3Dbattle", "#bet-history-filter"),
        ("/account/payments?show=type%3Ddeposits", "#payment-history-order"),
    ):
        tab.goto(site.url + path)
        button = tab.get_by_role("button", name="Filters 1 in use")
        expect(button).to_be_visible()
        expect(tab.locator(filters)).to_be_hidden()

        button.click()

        expect(tab.locator(filters)).to_be_visible()


def test_a_phone_shows_filters_and_the_bet_only_where_they_are_used(tab, site):
    resize(tab, PHONE)
    tab.goto(site.url)
    expect(tab.locator("#spin")).to_be_in_viewport()
    expect(tab.locator("#wear")).to_be_hidden()

    tab.get_by_role("button", name="Filters 1 in use").click()
    tab.select_option("#wear", "Factory New")

    expect(tab.get_by_role("button", name="Filters 2 in use")).to_be_visible()
    go(tab, "Live")
    expect(tab.locator("#spin")).not_to_be_in_viewport()


@pytest.mark.thorough
def test_an_aim_chooses_the_cheapest_item_that_reaches_it(tab, site, player):
    sign_in(tab, site, player)
    tab.fill("#wager", "10")
    aim, choose = tab.get_by_label("Aim for"), tab.get_by_role("button", name="Choose the item")
    for number, problem in (
        ("1", "Please enter a multiplier above 1."),
        ("9999", "No item costs 99,990.00 coins or more."),
    ):
        aim.fill(number)
        choose.click()
        expect(tab.locator("#aim-problem")).to_have_text(problem)
        expect(aim).to_have_value(number)

    for number, unit, least in (("4", "multiplier", 40), ("25", "chance", 38)):
        aim.fill(number)
        tab.get_by_label("Multiplier or chance").select_option(unit)
        choose.click()
        found = site.get(f"/upgrader/items/pagination?minPrice={least}&sort=Ascending&limit=1").json()
        expect(tab.locator("#wanted-price")).to_have_text(f"{found['items'][0]['price'][1:]} coins")
    expect(tab.locator("#aim-note")).to_have_text(
        re.compile(r"^No item has a chance of 25 %\. Nearest below: 2\d\.\d\d %\.$")
    )


# Cases


def test_cases_are_filtered_by_kind_and_price_and_sorted(tab, site):
    tab.goto(f"{site.url}/cases?kind=irl&sort=Price+Descending")
    costs = tab.locator("#cases .card > .coins")
    expect(tab.locator("#cases h3")).to_have_text(["Real-life prizes"])
    expect(costs.first).to_be_visible()
    assert prices(costs) == sorted(prices(costs), reverse=True)

    tab.select_option("#kind", "regular")
    tab.fill("#maxPrice", "2")
    tab.keyboard.press("Enter")
    expect(tab.locator("#cases h3")).to_have_text(["Cases"])
    expect(tab.locator("#cases").get_by_text("Masks and Mirrors")).to_have_count(0)
    expect(tab.locator("#cases").get_by_text("Daily Crumbs")).to_be_visible()
    assert all(cost <= 2 for cost in prices(costs))
    tab.locator("#cases .card", has_text="Pocket Lint").click()

    expect(tab.locator("#game-title")).to_have_text("Pocket Lint")
    expect(tab.locator("#case-items li").first).to_contain_text(re.compile(r"\d %.*coins", re.DOTALL))
    expect(tab.locator("#why-not")).to_contain_text("guest")
    tab.go_back()
    expect(tab.locator("#kind")).to_have_value("regular")


@pytest.mark.thorough
def test_a_long_list_of_cases_leads_to_its_pages(tab, site):
    one_a_page = re.compile(r"limit=\d+")
    tab.route(
        "**/api/cases/pagination?*",
        lambda route: route.continue_(url=one_a_page.sub("limit=1", route.request.url)),
    )
    tab.goto(f"{site.url}/cases?sort=Price+Ascending")
    cards = tab.locator("#cases[aria-busy=false] .card")
    tab.get_by_role("link", name="All level cases").click()
    expect(cards).to_have_count(1)
    first = cards.text_content()

    tab.get_by_role("button", name="Next").click()

    expect(tab).to_have_url(re.compile(r"sort=Price\+Ascending&kind=level&page=2$"))
    expect(cards).not_to_have_text(first)


def test_an_item_has_one_colour_and_its_chance_none(tab, site):
    tab.goto(f"{site.url}/?search=Night+Ferry")
    listed = tab.locator("#items .card", has_text="Night Ferry")
    expect(listed).to_have_attribute("data-rarity", "legendary")

    tab.goto(f"{site.url}/cases/night-shift")

    held = tab.locator("#case-items li", has_text="Night Ferry")
    expect(held).to_have_attribute("data-rarity", "legendary")
    fills = "ranges => ranges.map((range) => getComputedStyle(range).fill)"
    assert len(set(tab.locator("#ruler rect").evaluate_all(fills))) == 1


# Live bets and the ranking


def test_a_guest_sees_live_bets_and_filters_them_in_the_address(open_tab, site):
    player = site.new_player()
    guest, tab = open_tab(), sign_in(open_tab(), site, player)
    guest.goto(f"{site.url}/live")
    expect(guest.locator("#online")).to_have_text(re.compile(r"^\d+ online$"))
    for wager in ("1.00", "60.00"):
        tab.fill("#wager", wager)
        spin(tab)
    own = guest.locator("#bets tr", has_text=player["username"])
    expect(own).to_have_count(2)
    expect(own.first).to_contain_text("High roll")
    bet = newest_bet(site, player)
    net = bet["payout"] - 60
    sign = "+" if net > 0 else "\N{MINUS SIGN}"
    amounts = ["60.00", f"{bet['payout']:,.2f}", f"{sign}{abs(net):,.2f}"]
    expect(own.first.locator(".coins")).to_have_text([f"{amount} coins" for amount in amounts])
    expect(own.first.get_by_role("link", name="Karambit")).to_have_attribute("href", f"/b/{bet['id']}")

    guest.select_option("#show", "high")
    expect(guest.locator("#bets tr", has_not_text="High roll")).to_have_count(0)
    assert guest.url.endswith("/live?show=high")
    guest.go_back()
    expect(own).to_have_count(2)


def test_live_drops_are_wins_first_and_link_to_their_bets(tab, site):
    tab.goto(f"{site.url}/ranking")
    drops = tab.locator("#drops li")
    expect(drops.first).to_have_class("win")
    classes = drops.evaluate_all("drops => drops.map(({ className }) => className)")
    assert classes == sorted(classes, reverse=True)

    bet = site.get(drops.first.get_by_role("link").get_attribute("href").replace("/b/", "/bets/")).json()

    assert bet["payout"] > bet["betAmount"]
    assert bet["user"] in drops.first.inner_text()


def test_paused_live_drops_wait_until_they_go_on(open_tab, site):
    case, player = "Pocket Lint", site.new_player()
    guest, tab = open_tab(), sign_in(open_tab(), site, player, item=None)
    guest.goto(f"{site.url}/live")
    expect(guest.locator("#drops li").first).to_be_visible()
    pause = guest.get_by_role("button", name="Pause live drops")
    pause.click()
    own = guest.locator("#drops li", has_text=player["username"])
    open_case(tab, case)
    expect(guest.locator("#bets tr", has_text=player["username"])).to_have_count(1)
    expect(own).to_have_count(0)

    pause.click()
    guest.get_by_role("heading", name="Live bets").click()

    expect(own).to_contain_text(case)


def test_the_ranking_marks_the_own_row_and_keeps_its_period_in_the_address(tab, site, player):
    sign_in(tab, site, player)
    go(tab, "Ranking")
    expect(tab.locator("#standing")).to_contain_text("You have not wagered in this period.")
    expect(tab.locator("#standing")).to_contain_text(re.compile(r"[\d,.]+ coins more to pass \w+\*\*\*"))
    expect(tab.locator("#leaders .own")).to_have_count(0)
    go(tab, "Upgrader")
    tab.fill("#wager", "100")
    spin(tab)

    go(tab, "Ranking")
    tab.select_option("#period", "monthly")
    expect(tab).to_have_url(f"{site.url}/ranking?period=monthly")
    tab.reload()

    mine = site.get("/leaderboard/me?period=monthly", player).json()
    expect(tab.locator("#standing")).to_contain_text(f"You are number {mine['rank']} with")
    expect(tab.locator("#period")).to_have_value("monthly")
    expect(tab.locator("#leaders li", has_text="mot***")).to_be_visible()
    tab.go_back()
    expect(tab.locator("#period")).to_have_value("weekly")


# Pages and their addresses


@pytest.mark.thorough
def test_back_and_new_tabs_show_the_page_of_the_address(tab, site, player):
    sign_in(tab, site, player, item=None)
    go(tab, "Ranking")
    go(tab, "Prizes")
    expect(tab).to_have_title("Prizes · Upgrader")

    tab.go_back()

    expect(tab.get_by_role("heading", name="Ranking")).to_be_focused()
    expect(tab).to_have_title("Ranking · Upgrader")
    with tab.context.expect_page() as opened:
        tab.get_by_role("link", name="Cases", exact=True).click(modifiers=["Control"])
    expect(opened.value.get_by_role("heading", name="Cases").first).to_be_visible()


@pytest.mark.thorough
def test_a_phone_shows_a_list_instead_of_the_wheel_above_it(tab, site):
    resize(tab, PHONE)
    tab.goto(f"{site.url}/ranking")
    expect(tab.get_by_role("heading", name="Ranking")).to_be_in_viewport()

    go(tab, "Live")

    expect(tab.get_by_role("heading", name="Live bets")).to_be_in_viewport()
    resize(tab, NARROW)
    assert tab.evaluate("document.documentElement.scrollWidth") == NARROW[0]


@pytest.mark.thorough
def test_skip_links_lead_the_keyboard_to_the_parts(tab, site, player):
    sign_in(tab, site, player, item=None)
    tab.reload()
    tab.locator("#items button").first.wait_for()
    tab.keyboard.press("Tab")
    expect(tab.get_by_role("link", name="Skip to the bet")).to_be_focused()

    for part in ("game", "browse", "played"):
        tab.locator(f".skips [href='#{part}']").focus()
        tab.keyboard.press("Enter")
        expect(tab.locator(f"#{part}")).to_be_focused()
    assert "#" not in tab.url
    tab.locator("#items button").nth(9).press("Enter")
    tab.locator("main .skip").press("Enter")
    expect(tab.locator("#items")).to_be_focused()


@pytest.mark.thorough
def test_the_theme_follows_the_system_until_the_player_switches_it(tab, site):
    def background():
        return tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    tab.goto(site.url)
    tab.emulate_media(color_scheme="light")
    light = background()
    tab.emulate_media(color_scheme="dark")
    dark = background()

    tab.get_by_role("button", name="Switch between light and dark").click()

    assert dark != light == background()
    tab.reload()
    assert background() == light
