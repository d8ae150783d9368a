"""Battles in a browser: created, joined, watched to their ends, and verified there."""

import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import open_page
from tests.blueprints.site.conftest import balance, go, lines_of, sign_in, tab_to
from tests.harness.waiting import wait_until
from tests.support.chromium import PHONE, resize, violations, violations_as_shown

pytestmark = pytest.mark.browser

CASE, PRICE = "Pocket Lint", 0.69

ROUND_MS = 60_000
"""A round is published six to nine seconds after the lock, and the cases are opened then."""

DRAWN = """[...document.querySelectorAll(".column")].map((column) => [
    column.querySelector(".name").innerText,
    ...[...column.querySelectorAll(".drawn li")].map((item) => item.title),
])"""
"""The names of all seats, each with the items that it drew."""


def create(tab, *, teams, case=CASE, times=1):
    """Creates a battle on the page."""
    tab.get_by_role("link", name="Create a battle").click()
    for _ in range(times):
        tab.locator("#offered-cases").get_by_role("button", name=f"Add {case}").click()
    tab.get_by_text(teams, exact=True).click()
    expect(tab.locator("#seat-price")).to_have_text(f"{times * PRICE:.2f} coins")
    tab.get_by_role("button", name=re.compile("^Create for")).click()
    expect(tab.locator("#battle-title")).to_contain_text("Waiting for")


def expect_end(tab):
    """Waits until the drawing is over."""
    tab.locator("#battle[data-over]").wait_for(timeout=ROUND_MS)
    expect(tab.locator("#battle-title")).to_have_text(re.compile(r"wins? [\d.,]+ coins\.$"))


def payout_of(tab, seat):
    """What a seat has won, as its column shows it."""
    shown = tab.locator(f"[data-seat='{seat}'] .payout .coins")
    return float(shown.text_content().removesuffix(" coins")) if shown.count() else 0


@pytest.mark.security("Verification in the browser")
def test_a_player_creates_a_battle_calls_bots_watches_it_and_verifies_it(tab, site, player):
    go(sign_in(tab, site, player, item=None), "Battles")
    create(tab, teams="2v2", times=2)
    expect(tab.locator("#tie-chance")).to_have_text(re.compile(r"Chance of a tie: [\d.]+ %"))
    assert balance(tab) == pytest.approx(100 - 2 * PRICE)
    for _ in range(3):
        free = tab.get_by_role("button", name="Call a bot").count()
        tab.get_by_role("button", name="Call a bot").first.click()
        expect(tab.get_by_role("button", name="Call a bot")).to_have_count(free - 1)

    expect(tab.locator("#battle-title")).to_contain_text("Round ")
    expect_end(tab)

    assert balance(tab) == pytest.approx(100 - 2 * PRICE + payout_of(tab, 0))
    expect(tab.locator("#battle-receipt")).to_contain_text("nobody could know the result")
    tab.get_by_role("button", name="Verify in the browser").click()
    expect(tab.locator("#battle-verdict")).to_contain_text("The payouts are those that were shown")
    expect(tab.locator("#battle-verdict")).to_contain_text("The lock has your client seed in your seat")
    expect(tab.locator("#battle-verdict .failed")).to_have_count(0)
    assert violations(tab) == {}


@pytest.mark.thorough
def test_a_second_player_joins_from_the_list_and_all_see_the_same(open_tab, site):
    alice, bob = site.new_player(), site.new_player()
    first, second, spectator = open_tab(), open_tab(), open_tab()
    for tab, player in ((first, alice), (second, bob)):
        go(sign_in(tab, site, player, item=None), "Battles")
    create(first, teams="1v1", times=3)
    address = first.url.removeprefix(site.url)
    second.locator(f"#battles a[href='{address}']").click()
    spectator.goto(site.url + address)

    second.get_by_role("button", name="Join on seat 2").click()
    for tab in (first, second, spectator):
        expect_end(tab)

    shown = [tab.evaluate(DRAWN) for tab in (first, second, spectator)]
    assert [len(seat) for seat in shown[0]] == [4, 4]
    assert {name for name, *_ in shown[0]} == {alice["username"], bob["username"]}
    assert shown[0] == shown[1] == shown[2]
    assert balance(second) == pytest.approx(100 - 3 * PRICE + payout_of(second, 1))
    second.get_by_role("button", name="Create the same").click()
    expect(second.locator("#seat-price")).to_have_text(f"{3 * PRICE:.2f} coins")
    spectator.get_by_role("button", name="Replay").click()
    expect(spectator.locator("#skip-battle")).to_be_visible()
    spectator.get_by_role("button", name="Show the result").click()
    expect_end(spectator)


@pytest.mark.thorough
def test_a_void_battle_says_who_would_have_won(tab, site, player):
    ended = settled(site, player)
    late = {"state": "void", "reason": "late"}
    outcome = ("signature", "randomness", "drawn", "values", "tie", "winners", "payouts")
    void = {name: value for name, value in ended.items() if name not in outcome} | late
    rules = site.get("/battles/rules").json() | {"demo": False}
    tab.route("**/battles/rules", lambda route: route.fulfill(json=rules))
    tab.route(f"**/battles/{ended['id']}", lambda route: serve(route, void))
    tab.goto(f"{site.url}/battles/{ended['id']}")
    expect(tab.locator("#battle-text")).to_contain_text("not in the public log in time")
    assert violations(tab) == {}

    tab.get_by_label(f"Signature of round {ended['round']}").fill(ended["signature"])
    tab.keyboard.press("Enter")

    winner = ended["payouts"].index(max(ended["payouts"]))
    expect(tab.locator(f"[data-seat='{winner}'] .ready")).to_contain_text(
        f"Would have won {sum(ended['payouts']):.2f}"
    )
    expect(tab.locator(f"[data-seat='{1 - winner}'] .ready")).to_contain_text("Would have won nothing")
    expect(tab.locator("#battle-verdict .failed")).to_have_count(0)


@pytest.mark.thorough
def test_a_seat_is_among_the_bets_of_its_player_and_leads_to_its_battle(tab, site, player):
    ended = settled(site, player)
    open_page(tab, site, player, "/bets")
    line = lines_of(tab, "bet-history")
    expect(line).to_contain_text(f"Battle · round {ended['round']}")
    line.get_by_text("Seeds").click()
    expect(line).to_contain_text(ended["randomness"])
    assert violations(tab) == {}

    line.get_by_role("link", name="See the battle").click()

    expect(tab).to_have_url(f"{site.url}/battles/{ended['id']}")
    expect_end(tab)
    tab.goto(f"{site.url}/verify")
    tab.go_back()
    expect_end(tab)


def settled(site, player):
    """A battle of the player against a bot, once it is settled."""
    case = next(each for each in site.get("/api/cases").json() if each["name"] == CASE)
    wanted = {"cases": [{"case": case["id"]}], "mode": "normal", "teams": "1v1", "price": PRICE}
    battle = site.post("/battles", wanted, player)
    site.post(f"/battles/{battle['id']}/bots", {"seat": 1}, player)

    def find():
        return site.get(f"/battles/{battle['id']}").json()

    wait_until(lambda: find()["state"] == "settled", seconds=ROUND_MS / 1_000)
    return find()


def serve(route, battle):
    """Answers the page's request; the browser's for the page itself goes on."""
    if route.request.resource_type == "document":
        route.continue_()
    else:
        route.fulfill(json=battle)


def press(tab, selector, key="Enter"):
    """Moves the focus to an element by the keyboard, and presses a key there."""
    tab_to(tab, selector)
    tab.keyboard.press(key)


@pytest.mark.thorough
def test_a_battle_is_played_with_the_keyboard_alone_on_a_phone(open_tab, site, player):
    tab = open_tab(color_scheme="dark")
    resize(tab, PHONE)
    open_page(tab, site, player, "")
    press(tab, ".sections [href='/battles']")
    expect(tab.locator("#page-title")).to_be_focused()
    press(tab, "#new-battle")
    expect(tab.locator("#offered-cases button").first).to_be_visible()
    tab_to(tab, "#case-search")
    tab.keyboard.type("pocket")
    expect(tab.locator("#offered-cases li")).to_have_count(1)
    press(tab, "#offered-cases button")
    press(tab, "#offered-cases button")
    expect(tab.locator("#seat-price")).to_have_text("1.38 coins")
    assert violations_as_shown(tab) == {}
    tab_to(tab, "#new-battle-form > button", "Shift+Tab")
    tab.keyboard.press("Enter")
    expect(tab.locator("#battle-title")).to_contain_text("Waiting for one more player")
    assert violations_as_shown(tab) == {}

    press(tab, ".stage button")

    expect(tab.locator("#battle-said")).to_be_focused()
    expect(tab.locator("#battle-title")).to_contain_text("Round ")
    assert violations_as_shown(tab) == {}
    expect_end(tab)
    expect(tab.locator("#battle-live")).to_have_text(re.compile(r"wins [\d.]+ coins\.$"))
    press(tab, "#verify-battle")
    expect(tab.locator("#battle-verdict")).to_be_focused()
    expect(tab.locator("#battle-verdict")).to_contain_text("The payouts are those that were shown")
    assert violations_as_shown(tab) == {}
