"""Each part of the page is used with the keyboard alone, on a light desktop and on a dark phone.

The focus is always seen, it is not lost when something goes away, and axe finds nothing where it is.
"""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.accounts import (
    TRADE_URL,
    account,
    open_page,
    picture_file,
)
from tests.blueprints.site.conftest import promo_code, tab_to, turn_slowly, turning
from tests.support.chromium import DESKTOP, PHONE, violations_as_shown

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SEEN = """
    const [{ left, top, width, height }] = document.activeElement.getClientRects();
    const places = [document.activeElement, ...(document.activeElement.labels ?? [])];
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    places.some((place) => place.contains(hit))
        && places.some((place) => getComputedStyle(place).outlineStyle !== "none");
"""
"""Whether the element with the focus, or its label, has an outline and nothing is above it."""

WAY = """selector => {
    const isBefore = document.activeElement.compareDocumentPosition(document.querySelector(selector))
        & Node.DOCUMENT_POSITION_PRECEDING;
    return isBefore ? "Shift+Tab" : "Tab";
}"""


@pytest.fixture(params=[(DESKTOP, "light"), (PHONE, "dark")], ids=["light-desktop", "dark-phone"])
def tab(request, open_tab):
    (width, height), theme = request.param
    return open_tab(viewport={"width": width, "height": height}, color_scheme=theme)


def to(tab, selector):
    """Moves the focus to an element, where it is seen."""
    tab.locator(selector).first.wait_for(state="attached")
    if not tab.evaluate("selector => document.activeElement.matches(selector)", selector):
        tab_to(tab, selector, tab.evaluate(WAY, selector))
    assert tab.evaluate(SEEN), f"the focus on {selector} is not seen"


def press(tab, selector, *keys):
    """Moves the focus to an element, and presses keys there."""
    to(tab, selector)
    for key in keys or ["Enter"]:
        tab.keyboard.press(key)


def write(tab, selector, text):
    """Moves the focus to a field, and replaces its text."""
    to(tab, selector)
    tab.keyboard.press("Control+a")
    tab.keyboard.type(text)


def open_filters(tab):
    """Opens the filters of a list, which a phone folds."""
    tab.locator("#fold").wait_for(state="attached")
    if tab.locator("#fold").is_visible():
        press(tab, "#fold")


def open_from_menu(tab, path):
    """Opens a page by the menu of the account."""
    press(tab, "#player > button")
    press(tab, f"#account [href='{path}']")
    expect(tab.locator("#page-title")).to_be_focused()


def focus_is_kept(tab):
    return tab.evaluate("document.activeElement !== document.body")


def look(tab, part="html"):
    """The focus is not lost, and axe finds nothing."""
    assert focus_is_kept(tab)
    assert violations_as_shown(tab, part) == {}


def test_profile_picture_and_details_are_changed(tab, site, player):
    tab.on("filechooser", lambda chooser: chooser.set_files(picture_file()))
    open_page(tab, site, player, "/profile")
    name = f"renamed-{player['platformid'][-10:]}"
    for setting, text in (("username", name), ("tradeUrl", TRADE_URL), ("clientSeed", "my-lucky-seed")):
        write(tab, f"#{setting}-value", text)
        tab.keyboard.press("Enter")
        expect(tab.locator(f"#{setting}-said")).to_contain_text("saved.")
    look(tab)
    press(tab, "#avatar")
    before = account(site, player)["avatar"]
    press(tab, "#crop-square", "ArrowRight", "ArrowRight", "+")
    press(tab, "#zoom", "ArrowRight")
    look(tab, "#crop")
    press(tab, "#crop-accept")
    expect(tab.locator("#avatar-said")).to_have_text("Your picture is changed.")
    expect(tab.locator("#avatar-said")).to_be_focused()

    open_from_menu(tab, "/account/details")
    write(tab, "[name=city]", "Springfield")
    write(tab, "[name=phone]", "+12025550123")
    tab.keyboard.press("Enter")

    expect(tab.locator("#details-said")).to_have_text("Your details are stored.")
    look(tab)
    now = account(site, player)
    assert (now["username"], now["tradeUrl"], now["clientSeed"]) == (name, TRADE_URL, "my-lucky-seed")
    assert now["avatar"] != before


def test_coins_are_unlocked_and_locked_again(tab, site, player):
    deadline = int(time.time() * 1000) + 600_000
    site.post("/profile/vault/lock", {"amount": 40, "deadline": deadline}, player)
    site.write("UPDATE users SET vault_deadline_ms = 1 WHERE platform_id = ?", player["platformid"])
    open_page(tab, site, player, "/vault")
    tab.get_by_role("button", name="Unlock").wait_for()

    press(tab, "#browse .lines button")
    expect(tab.locator("#vault-said")).to_have_text("Your coins are on your balance again.")
    assert focus_is_kept(tab)
    write(tab, "#lock-amount", "25")
    to(tab, "#lock-until")
    for key in ("Tab", "Tab", "ArrowUp"):  # The year.
        tab.keyboard.press(key)
    press(tab, "#lock-form button")
    look(tab, "#lock-question")
    press(tab, "#lock-question-accept")

    expect(tab.locator("#vault")).to_have_text("25.00 coins")
    expect(tab.locator("#vault-until")).to_contain_text("Locked until")
    look(tab)
    assert account(site, player)["vaultDeadline"] > (time.time() + 360 * 86_400) * 1000


def test_promo_codes_are_chosen_and_used_and_earnings_claimed(tab, site, player):
    used = promo_code(site, site.new_player())
    open_page(tab, site, player, "/referrals")
    code = f"OWN{player['platformid'][-20:]}"

    write(tab, "#own-code", code)
    tab.keyboard.press("Enter")
    expect(tab.locator("#own-set")).to_have_text(code)
    assert focus_is_kept(tab)
    press(tab, "[aria-labelledby=used-title] button")
    write(tab, "#promo-code", "UNKNOWN")
    press(tab, "#promo-accept")
    expect(tab.locator("#promo-problem")).not_to_be_empty()
    look(tab, "#promo")
    write(tab, "#promo-code", used)
    tab.keyboard.press("Enter")
    expect(tab.locator("#promo-used")).to_have_text(used)
    assert focus_is_kept(tab)

    referred = site.new_player()
    site.post("/affiliate/use-code", {"code": code}, referred)
    site.run("payments", "record", referred["platformid"], "deposit", "100.2", "--txhash", code)
    site.count_as_lost(referred, 2_000_00)
    tab.reload()
    press(tab, "[aria-labelledby=earned-title] button")
    expect(tab.locator("#claim-said")).to_have_text("You claimed 8.00 coins.")
    expect(tab.locator("#referred li")).to_contain_text(referred["username"])
    look(tab)


def test_an_item_is_found_by_filters_and_an_aim_and_played_in_quick_mode(tab, site, player):
    open_page(tab, site, player, "")
    press(tab, ".sections [href='/']")
    open_filters(tab)
    press(tab, "#near")
    pages = site.get("/upgrader/items/pagination?limit=18").json()["pagination"]["totalPages"]
    for number in range(2, pages + 1):
        press(tab, "#browse .pages button:last-child")
        expect(tab.locator("#page-number")).to_contain_text(f"page {number} of {pages}")
    assert focus_is_kept(tab)
    press(tab, "#sort", "ArrowDown")
    press(tab, "#wear", "ArrowDown")
    write(tab, "#minPrice", "20")
    tab.keyboard.press("Enter")
    expect(tab.locator("#items li", has_not_text="Factory New")).to_have_count(0)
    expect(tab).to_have_url(re.compile("sort=Ascending&wear=Factory\\+New&minPrice=20"))
    look(tab)
    write(tab, "#wager", "2")
    write(tab, "#aim-at", "25")
    press(tab, "[aria-label='Multiplier or chance']", "ArrowDown")
    press(tab, "#aim button")
    expect(tab.locator("#items [aria-pressed=true]")).to_have_count(1)
    wanted = "minPrice=7.60&sort=Ascending&limit=1&wear=Factory+New"  # 25 % of 95 % for 2 coins.
    price = site.get(f"/upgrader/items/pagination?{wanted}").json()["items"][0]["price"]
    expect(tab.locator("#wanted-price")).to_have_text(f"{price[1:]} coins")
    look(tab)

    press(tab, "#quick", "Space")
    expect(tab.locator("#quick")).to_be_checked()
    press(tab, "#spin")
    expect(tab.locator("#outcome")).to_contain_text("You ")
    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")
    look(tab)


def test_a_case_is_found_and_opened_several_times_and_stopped(tab, site, player):
    tab.clock.install()
    turn_slowly(tab, site)
    open_page(tab, site, player, "")
    press(tab, ".sections [href='/cases']")
    open_filters(tab)
    press(tab, "#kind", "ArrowDown")
    expect(tab.locator("#cases h3")).to_have_text(["Cases"])
    write(tab, "#case-search", "pocket")
    expect(tab.locator("#cases[aria-busy=false] li")).to_have_count(1)
    look(tab)
    press(tab, "#cases a")
    expect(tab.locator("#game-title")).to_have_text("Pocket Lint")
    expect(tab.locator("#game-title")).to_be_focused()

    press(tab, ".count input", *["ArrowRight"] * 4)
    expect(tab.locator("#spin")).to_contain_text("for 3.45 coins")
    press(tab, "#spin")
    expect(tab.locator("#stop")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator("#stop")).to_have_text("Stops after this one")
    turning(tab, ".strip")
    tab.clock.fast_forward(600_000)
    expect(tab.locator("#outcome")).to_contain_text("Opened 1 of 5")
    expect(tab.locator(".count [value='5']")).to_be_focused()
    expect(tab.locator("#case-activity")).to_contain_text(player["username"])
    look(tab)
