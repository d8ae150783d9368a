"""Openings of cases on the built-in page: the reel, the proof, and refusals."""

import json
import re

import pytest
from playwright.sync_api import expect

from bench.harness.waiting import wait_until
from tests.blueprints.site.conftest import (
    balance,
    choose_case,
    expect_stacked,
    find_case,
    go,
    hold,
    open_case,
    promo_code,
    sign_in,
    spin,
)
from tests.support.chromium import DESKTOP, PHONE, resize

pytestmark = pytest.mark.browser

CASE, PRICE = "Pocket Lint", 0.69

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


@pytest.mark.regulation("RTS 14E: results are not sped up")
def test_the_reel_stops_where_the_ticket_says(site, shared):
    open_case(shared, CASE)

    bet = newest_bet(site, shared.player)
    start, width = range_of(bet)
    cell = shared.evaluate(CELL_AT_MARKER)
    assert (cell["item"], cell["isMarked"]) == (bet["item"], True)
    assert cell["within"] == pytest.approx((int(bet["ticket"]) - start) / width, abs=0.03)
    expect(shared.locator("#case-items [data-won] .name")).to_have_text(bet["item"])


def test_an_opening_is_charged_paid_and_verified(site, shared):
    before, nonce = balance(shared), int(shared.locator("#nonce").text_content())

    assert "Verified" in open_case(shared, CASE)

    bet = newest_bet(site, shared.player)
    assert (bet["game"], bet["betAmount"], bet["pf"]["nonce"]) == ("case", PRICE, nonce)
    assert balance(shared) == pytest.approx(before - PRICE + bet["payout"])
    expect(shared.locator("#outcome")).to_contain_text(bet["item"])
    expect(shared.locator("#fairness-state")).to_have_text(f"✓ Opening {nonce} verified")


def test_an_opening_links_to_its_verification_and_its_bet(site, shared):
    nonce = shared.locator("#nonce").text_content()
    open_case(shared, CASE)

    with shared.context.expect_page() as opened:
        shared.get_by_role("link", name=f"Verify opening {nonce}").click()
    expect(opened.value.locator("#verdict")).to_have_text(
        "✓ The server seed is the one that was committed to."
    )
    bet = newest_bet(site, shared.player)
    expect(opened.value.locator("#result")).to_contain_text(bet["item"])
    opened.value.close()
    line = shared.locator(f"#proofs > [data-nonce='{nonce}']")
    page_of_bet = line.get_by_role("link", name=bet["item"]).get_attribute("href")
    assert site.get(page_of_bet.replace("/b/", "/bets/")).json() == bet


def test_a_case_with_a_wrong_snapshot_hash_is_not_shown(shared):
    shared.route("**/snapshots/*", lambda route: route.fulfill(json={"id": "x", "items": [], "price": "1"}))

    find_case(shared, CASE).click()

    expect(shared.locator("#outcome")).to_contain_text("is not the one that its hash names")
    expect(shared.locator("#opening")).to_be_hidden()


def test_the_game_is_busy_until_the_last_case_is_shown(shared):
    first, last = find_case(shared, CASE), find_case(shared, "Masks and Mirrors")
    shared.fill("#case-search", "")
    older = hold(shared, "**/api/cases/pocket-lint", first.click)
    newer = hold(shared, "**/api/cases/masks-and-mirrors", last.click)

    older.abort()
    expect(shared.locator("#outcome")).to_contain_text("could not be loaded")
    expect(shared.locator("#game")).to_have_attribute("aria-busy", "true")
    newer.continue_()

    expect(shared.locator("#game[aria-busy=false] #game-title")).to_have_text("Masks and Mirrors")


NOTE_BUSY = """
  globalThis.busy = [];
  const note = (changes) => busy.push(...changes.map(({ target }) => target.ariaBusy));
  new MutationObserver(note).observe(document.getElementById("cases"), { attributeFilter: ["aria-busy"] });
"""


def test_the_cases_are_busy_until_the_last_search_is_shown(shared):
    find_case(shared, "Night Shift").wait_for()
    older = hold(shared, "**/irl", lambda: shared.fill("#case-search", "Masks"))
    shared.evaluate(NOTE_BUSY)

    shared.fill("#case-search", CASE)
    older.continue_()

    expect(shared.locator("#cases[aria-busy=false] a")).to_have_text(re.compile(CASE))
    assert shared.evaluate("busy").count("false") == 1


def test_a_case_with_an_unpriced_item_shows_no_reel(shared):
    def take_first_price(route):
        content = route.fetch().json() | {"snapshot": None}
        content["items"][0]["price"] = None
        route.fulfill(json=content)

    choose_case(shared, CASE)
    shared.route("**/api/cases/two-worlds", take_first_price)

    choose_case(shared, "Two Worlds")

    expect(shared.locator("#reel")).to_be_hidden()
    expect(shared.locator("#why-not")).to_have_text(
        "This case can't be opened, because an item has no price."
    )
    expect(shared.locator("#case-items li").nth(0)).to_contain_text("no price yet")
    expect(shared.locator("#case-items li").nth(1)).to_contain_text("1,385.00")


def test_a_case_that_fails_to_load_is_explained_in_place(shared):
    go(shared, "Cases")
    shared.fill("#case-search", "")
    shared.route("**/irl/living-room-arcade", lambda route: route.abort())

    shared.get_by_role("link", name="Living Room Arcade").click()

    expect(shared.locator("#outcome")).to_have_text(
        "The case could not be loaded: There is no connection to the server."
    )
    expect(shared.locator("#outcome")).to_be_in_viewport()


def test_an_opening_that_the_server_refuses_is_explained(shared):
    def take_level(route):
        content = route.fetch().json()
        del content["requiredLevel"]
        route.fulfill(json=content)

    shared.route("**/api/cases/level-10-shoelace", take_level)
    choose_case(shared, "Level 10 Shoelace")

    shared.locator("#spin").click()

    expect(shared.locator("#outcome")).to_have_text("The opening was refused: Your level is too low.")


def test_a_level_case_is_locked_until_the_level_is_reached(site, tab):
    (player,) = site.run("users", "create", "level-10", "--balance=100", "--level=10")
    sign_in(tab, site, player, item=None)
    low, high = find_case(tab, "Level 10 Shoelace"), find_case(tab, "Level 20 Tin Lunchbox")
    tab.fill("#case-search", "Level")
    expect(low.locator(".condition")).to_have_text("Level 10")
    expect(low.locator(".condition.locked")).to_have_count(0)
    expect(high.locator(".condition.locked")).to_have_text("Level 20")

    high.click()

    expect(tab.locator("#why-not")).to_have_text("This case needs level 20. You have reached level 10.")
    expect(tab.locator("#spin")).to_be_disabled()
    assert "Verified" in open_case(tab, "Level 10 Shoelace")


def test_the_free_case_needs_a_code_and_opens_once(site, tab, player):
    code = promo_code(site, site.new_player())
    sign_in(tab, site, player, item=None)
    choose_case(tab, "Daily Crumbs")
    condition = tab.locator("#cases .condition.locked")
    expect(condition).to_have_text("Needs a promo code")
    expect(tab.locator("#why-not")).to_have_text("The free case needs a promo code.")
    expect(tab.locator("#spin")).to_be_disabled()

    tab.get_by_role("button", name="Enter a promo code").click()
    tab.get_by_role("textbox", name="Promo code").fill("NOBODYS")
    tab.keyboard.press("Enter")
    expect(tab.locator("#promo-problem")).to_have_text("Promo code is invalid")
    tab.get_by_role("textbox", name="Promo code").fill(code)
    tab.keyboard.press("Enter")

    expect(tab.locator("#outcome")).to_have_text("You have received a bonus of 0.20 coins.")
    expect(tab.locator("#balance")).to_have_text("100.20 coins")
    expect(condition).to_have_count(0)
    tab.locator("#spin").click()
    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")
    payout = newest_bet(site, player)["payout"]
    expect(tab.locator("#balance")).to_have_text(f"{100.2 + payout:.2f} coins")
    expect(tab.locator("#why-not")).to_have_text("You have opened the free case already.")
    expect(tab.locator("#spin")).to_be_disabled()
    expect(condition).to_have_text("Already opened")


def test_a_promo_code_is_entered_in_the_account(site, tab, player):
    code = promo_code(site, site.new_player())
    go(sign_in(tab, site, player, item=None), "Referrals")
    expect(tab.locator("#promo-used")).to_have_text("none")

    tab.get_by_role("button", name="Enter a promo code").click()
    tab.get_by_role("textbox", name="Promo code").fill(code)
    tab.keyboard.press("Enter")

    expect(tab.locator("#promo-said")).to_have_text("You have received a bonus of 0.20 coins.")
    expect(tab.locator("#promo-used")).to_have_text(code)
    expect(tab.get_by_role("button", name="Enter a promo code")).to_have_count(0)


def test_a_case_that_the_balance_does_not_reach_is_explained(site, tab, player):
    sign_in(tab, site, player, item=None)

    choose_case(tab, "Masks and Mirrors")

    expect(tab.locator("#spin")).to_be_disabled()
    expect(tab.locator("#why-not")).to_have_text("Your balance is too small for this case.")


def test_a_guest_sees_why_a_case_cannot_be_opened(guest):
    go(guest, "Cases")
    expect(guest.get_by_role("link", name="Barista at Home")).to_be_visible()
    guest.fill("#case-search", "night")
    expect(guest.locator("#cases a")).to_have_count(1)

    choose_case(guest, "Night Shift")

    expect(guest.locator("#case-items li").first).to_contain_text(re.compile(r"\d %.*coins", re.DOTALL))
    expect(guest.locator("#why-not")).to_contain_text("guest")


def test_bets_are_complete_and_verified_again_after_a_reload(site, shared):
    nonce = int(shared.locator("#nonce").text_content())
    spin(shared)
    open_case(shared, CASE)
    lines = shared.locator("#proofs > li")
    for number in (0, 1):
        # The link is added last, once the server has returned the id of the bet.
        name = re.compile(f"^Share (spin|opening) {nonce + 1 - number}$")
        expect(lines.nth(number).get_by_role("button", name=name)).to_be_visible()
    shown = [lines.nth(number).inner_text() for number in (0, 1)]
    net = newest_bet(site, shared.player)["payout"] - PRICE

    shared.reload()

    for number, text in enumerate(shown):
        assert "Verified" in text
        expect(lines.nth(number)).to_have_text(text, use_inner_text=True)
    sign = "+" if net > 0 else "\N{MINUS SIGN}"
    expect(lines.nth(0).locator(".result .coins")).to_have_text(f"{sign}{abs(net):.2f} coins")
    expect(lines.nth(0)).to_contain_text(f"Wager {PRICE}")
    expect(lines.nth(0)).to_contain_text(f"Opening {nonce + 1} · {CASE}")
    picture = lines.nth(1).locator("img").evaluate("image => image.decode().then(() => image.src)")
    assert picture.endswith("/media/items/karambit-glacier-thread-factory-new.webp")


@pytest.mark.security("Verification in the browser")
def test_a_bet_that_differs_after_a_reload_is_not_verified(shared):
    open_case(shared, CASE)

    def change(route):
        response = route.fetch()
        changed = re.sub(r'"clientSeed":"[^"]+"', '"clientSeed":"another"', response.text())
        route.fulfill(response=response, body=changed)

    shared.route("**/stats/fairness?*", change)
    # With a connection, the page may get the proof once more, as it was.
    offline = [True]
    shared.route_web_socket("**/socket.io/*", lambda socket: offline or socket.connect_to_server())
    shared.reload()

    expect(shared.locator("#proofs .verdict").first).to_contain_text("NOT verified")
    offline.clear()
    shared.unroute_all()
    shared.reload()
    expect(shared.locator("#proofs .verdict").first).to_contain_text("Verified")


@pytest.mark.security("Verification in the browser")
def test_a_bet_of_another_browser_is_listed_unverified(site, tab, shared):
    open_case(shared, CASE)

    sign_in(tab, site, shared.player, item=None)

    line = tab.locator("#proofs > li").first
    expect(line).to_contain_text(f"· {CASE} ·")
    expect(line.locator(".verdict")).to_contain_text("did not see who chose them")
    assert "Verified" not in line.inner_text()


def test_another_tab_lists_a_bet_and_verifies_it(shared):
    other = shared.context.new_page()
    other.goto(shared.url)
    expect(other.locator("#username")).to_have_text(shared.player["username"])
    nonce = shared.locator("#nonce").text_content()

    open_case(shared, CASE)

    verdict = other.locator(f"#proofs > [data-nonce='{nonce}'] .verdict")
    expect(verdict).to_contain_text("Verified")
    other.close()


def test_the_page_goes_back_from_a_case_to_the_wheel(site, shared):
    choose_case(shared, CASE)

    shared.get_by_role("link", name="Back to the wheel").click()

    expect(shared.get_by_role("heading", name="Items", exact=True)).to_be_focused()
    assert shared.url == f"{site.url}/"
    assert "Verified" in spin(shared)
    assert len(shared.spins) == 1


# Each name takes three lines.
NAMES = [
    f"StatTrak™ Sand Castle | Low Tide in the Evening {number} (Battle-Scarred)" for number in range(1, 4)
]


@pytest.fixture(scope="module")
def import_case(site, tmp_path_factory):
    """Imports the case "Shifting Sands" with these chances of its items."""
    file = tmp_path_factory.mktemp("import") / "rows.json"

    def import_rows(area, rows):
        file.write_text(json.dumps(rows))
        site.run(area, "import", str(file))

    def import_case(*chances):
        items = [
            {"marketHashName": name, "percentage": chance}
            for name, chance in zip(NAMES, chances, strict=False)
        ]
        import_rows("cases", [{"name": "Shifting Sands", "items": items}])
        # The server shows the change of another process within two seconds.
        wait_until(lambda: sorted(shown_chances()) == sorted(chances))

    def shown_chances():
        found = site.get("/api/cases/pagination?search=Shifting").json()["cases"]
        items = site.get(f"/api/cases/{found[0]['id']}").json()["items"] if found else []
        return [item["percentage"] for item in items]

    # Dearer than the items that tests of the catalogue choose from its first page: the server is shared.
    prices = zip(NAMES, (6, 3, 3), strict=True)
    import_rows("items", [{"appid": 730, "marketHashName": name, "price": price} for name, price in prices])
    return import_case


def test_a_changed_case_is_shown_anew_and_opened_again(shared, import_case):
    import_case(50, 50)
    for chances, reason in (((40, 60), "Case price has changed"), ((40, 30, 30), "Case has changed")):
        choose_case(shared, "Shifting Sands")
        before = shared.locator("#case-items").inner_text()
        import_case(*chances)

        shared.locator("#spin").click()

        expect(shared.locator("#outcome")).to_have_text(
            f"The opening was refused: {reason}. This is the case as it is now."
        )
        assert shared.locator("#case-items").inner_text() != before
        # Perhaps not verified: the page says so if the refused opening would have paid more than its price.
        spin(shared)
        expect(shared.locator("#outcome")).to_contain_text("You ")


def test_reel_and_button_stay_visible_and_in_place(shared, import_case):
    import_case(50, 50)
    for size in (DESKTOP, PHONE):
        resize(shared, size)
        choose_case(shared, "Shifting Sands")
        expect(shared.locator("#spin")).to_be_enabled()
        expect_stacked(shared, size, "#reel", "#spin")
        before = [shared.locator(name).bounding_box() for name in ("#reel", "#spin", "#case-items")]

        spin(shared)

        assert [
            shared.locator(name).bounding_box() for name in ("#reel", "#spin", "#case-items")
        ] == before, size
        assert shared.evaluate("document.documentElement.scrollWidth") == size[0]
