"""What the page does when messages are lost, overtaken or changed, and when they come without a question."""

import json
import re

import pytest
from playwright.sync_api import expect

from bench.harness.sockets import Socket
from tests.blueprints.site.conftest import FORGET_ATTEMPTS, go, open_case, pass_on, route_bets, sign_in, spin
from tests.support.chromium import tabs, violations

pytestmark = pytest.mark.browser

ACKNOWLEDGEMENT = "43"
"""How a packet of Socket.IO with the answer to an event begins."""
CHECK = {"since": 1_795_353_300_000, "minutes": 60, "wagered": 120, "paid": 90.5, "net": -29.5}
"""Began on 2026-11-22 at 13:15 in UTC."""


@pytest.fixture(scope="module")
def routed_tab(site, chromium):
    with tabs(chromium) as open_tab:
        tab = open_tab(timezone_id="Asia/Kolkata", locale="en-GB")
        route_bets(tab)
        rules = site.get("/upgrader/rules").json() | {"maxWager": 7.5}
        tab.route("**/upgrader/rules", lambda route: route.fulfill(json=rules))
        tab.player = site.new_player()
        yield sign_in(tab, site, tab.player)


@pytest.fixture
def tab(routed_tab):
    """A player's page, behind the proxy of ``route_bets``."""
    tab = routed_tab
    go(tab, "Upgrader")
    tab.locator("#items button").first.click()
    expect(tab.locator("#spin")).to_be_enabled()
    yield tab
    tab.evaluate(FORGET_ATTEMPTS)  # A bet that was refused may speak against the next one.
    tab.rewrite, tab.refuse = pass_on, lambda _payload: None


def games_of(site, player):
    return site.get("/stats/games", player).json()["data"]["totalGames"]


def test_a_spin_with_a_lost_answer_is_played_once(tab, site):
    lost = []

    def lose_first_answer(tab, message):
        if not message.startswith(ACKNOWLEDGEMENT) or lost:
            return message
        lost.append(message)
        for end in tab.sockets[-1]:
            end.close()
        return None

    before = games_of(site, tab.player)
    tab.rewrite = lose_first_answer

    assert "Verified" in spin(tab)

    assert len(lost) == 1
    assert games_of(site, tab.player) == before + 1


def test_max_stops_at_the_highest_wager_of_the_rules(tab):
    tab.click("[data-wager=most]")

    assert tab.input_value("#wager") == "7.50"
    tab.fill("#wager", "1")


def test_a_balance_older_than_the_shown_one_is_ignored(tab):
    def overtake(tab, message):
        if message.startswith('42["balance"'):
            name, payload = json.loads(message.removeprefix("42"))
            newer = payload | {"balance": 50, "version": payload["version"] + 1}
            tab.sockets[-1][0].send("42" + json.dumps([name, newer]))
        return message

    tab.rewrite = overtake

    spin(tab)

    assert tab.locator("#balance").text_content() == "50.00 coins"


def test_a_spin_of_another_browser_is_not_verified(site, tab):
    nonce = tab.locator("#nonce").text_content()
    other = Socket(site.url, auth={"token": tab.player["token"]})
    name = site.get("/upgrader/items/pagination?sort=Descending&limit=1").json()["items"][0]["marketHashName"]
    assert other.spin({"amount": 1, "item": name})["status"]

    other.close()

    verdict = tab.locator(f"#proofs > [data-nonce='{nonce}'] .verdict").inner_text()
    assert "Played before this page was loaded, or elsewhere" in verdict
    assert "Verified" not in verdict


@pytest.mark.security("Verification in the browser")
@pytest.mark.parametrize(
    ("event", "field", "other"), [("case:pf", "ticket", "0"), ("case:proof", "snapshot", "0" * 64)]
)
def test_an_opening_that_was_tampered_with_is_not_verified(tab, event, field, other):
    def tamper(_tab, message):
        if f'["{event}"' in message:
            return re.sub(rf'"{field}":"\w+"', f'"{field}":"{other}"', message)
        return message

    tab.rewrite = tamper

    assert "NOT verified" in open_case(tab, "Pocket Lint")


def test_a_wager_typed_during_a_spin_updates_the_chance_afterwards(tab):
    tab.evaluate("""
      new MutationObserver((_changes, observer) => {
        observer.disconnect();
        const wager = document.getElementById("wager");
        wager.value = "7";
        wager.dispatchEvent(new Event("input"));
      }).observe(document.getElementById("game"), { attributeFilter: ["data-spinning"] });
    """)

    spin(tab)

    expect(tab.locator("#outcome")).not_to_be_empty()
    assert tab.locator("#reading-label").text_content() == "Your chance"
    assert tab.locator("#reading").text_content() == "0.267 %"


def test_a_changed_price_is_shown_for_an_item_elsewhere(tab):
    def refuse(_tab, message):
        answer = '[{"status":false,"error":"Item price has changed"}]'
        return re.sub(r"^(43\d+)\[.*", rf"\g<1>{answer}", message)

    def raise_prices(route):
        items = [item | {"price": "$2500.00"} for item in route.fetch().json()["items"]]
        route.fulfill(json={"items": items})

    tab.get_by_role("navigation", name="Pages of items").get_by_role("button", name="Next").click()
    expect(tab.locator("#page-number")).to_contain_text("page 2")
    tab.route("**/pagination?search=Glacier*", raise_prices)
    tab.rewrite = refuse

    tab.click("#spin")

    expect(tab.locator("#wanted-price")).to_have_text("2,500.00 coins")
    expect(tab.locator("#outcome")).to_have_text("The spin was refused: Item price has changed.")
    tab.unroute("**/pagination?search=Glacier*")
    tab.get_by_role("navigation", name="Pages of items").get_by_role("button", name="Previous").click()


@pytest.fixture
def reality_check(tab):
    """The dialog of a reality check that has just been sent to the player."""
    tab.sockets[-1][0].send("42" + json.dumps(["limits:reality-check", CHECK]))
    dialog = tab.get_by_role("dialog", name="Time to check how you are doing")
    expect(dialog).to_be_visible()
    yield dialog
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog).to_be_hidden()


@pytest.mark.regulation("RTS 13B: reality checks")
def test_a_reality_check_stays_until_it_is_answered(site, tab, reality_check):
    games = games_of(site, tab.player)
    expect(reality_check).to_contain_text("You have been playing for 60 minutes, since 18:45.")
    expect(reality_check.locator(".amounts")).to_have_text(
        re.compile(r"Wagered\s*120\.00 coins\s*Paid\s*90\.50 coins\s*Net\s*\u221229\.50 coins")
    )

    for key in ("Escape", "Escape", "Enter", "Space"):
        tab.keyboard.press(key)

    expect(reality_check).to_be_visible()
    assert games_of(site, tab.player) == games


def test_axe_finds_nothing_in_a_reality_check(tab, reality_check):
    expect(reality_check).to_be_visible()
    assert violations(tab, "#reality-check") == {}


@pytest.mark.regulation("RTS 14A: no encouragement to go on")
def test_a_reality_check_has_two_equal_buttons(reality_check):
    looks = reality_check.get_by_role("button").evaluate_all("""buttons => buttons.map((button) => {
      const { color, background } = getComputedStyle(button);
      return [button.offsetWidth, button.offsetHeight, color, background];
    })""")

    assert len(looks) == 2
    assert looks[0] == looks[1]


REFUSALS = [
    (
        {"error": "Your limit is reached", "limit": "loss", "period": "day", "resetsAt": 1_795_392_000_000},
        "This bet would exceed your daily loss limit. The limit starts anew on 23 Nov 2026, 05:30.",
    ),
    (
        {"error": "You are taking a break until 2026-11-22T13:45:00Z"},
        "You are taking a break until 22 Nov 2026, 19:15.",
    ),
    (
        {"error": "You have excluded yourself permanently"},
        "You have excluded yourself permanently, so you can't bet any more.",
    ),
    (
        {"error": "Please wait before the next bet"},
        "That was too soon after your last bet. Please wait a moment.",
    ),
    (
        {"error": "Session time limit reached"},
        "You have reached the time limit of a session. You can bet again after 30 minutes without a bet.",
    ),
    (
        {"error": "Account suspended"},
        "Your account is suspended, so you can't bet. Please contact support.",
    ),
    ({"error": "Your level is too low"}, "The spin was refused: Your level is too low."),
]


@pytest.mark.regulation("RTS 14A: no encouragement to go on")
def test_refused_bets_are_explained_in_plain_words_and_local_time(tab):
    for answer, text in REFUSALS:
        tab.refuse = lambda _payload, answer=answer: {"status": False} | answer

        tab.locator("#spin").click()

        expect(tab.locator("#outcome")).to_have_text(text)
