"""Spins of the wheel: choosing an item, betting, the outcome, and what the page says of it."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import (
    balance,
    expect_stacked,
    go,
    newest_bet,
    open_details,
    refuse_bets,
    seed_that,
    sign_in,
    spin,
    tab_to,
    turn_slowly,
    turning,
)
from tests.harness.waiting import wait_until
from tests.support.chromium import DESKTOP, PHONE, resize, violations_as_shown

pytestmark = pytest.mark.browser

DEAREST = 2489
"""The price of the first item."""

WON = f"You won {DEAREST:,}.00 coins, the price of ★ Karambit | Glacier Thread (Factory New)."
LOADED = "performance.getEntriesByType('resource').map(({ name }) => name)"
COUNT_BURSTS = """
    globalThis.bursts = 0;
    new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
            bursts += [...addedNodes].filter(({ className }) => className === "burst").length;
        }
    }).observe(document, { childList: true, subtree: true });
"""
TURNED = """animation => {
    animation.finish();
    return parseFloat(getComputedStyle(animation.effect.target).rotate);
}"""


@pytest.mark.regulation("4.4 Information for the player")
def test_a_new_player_reads_how_the_game_works(tab, site, player):
    sign_in(tab, site, player, item=None)
    expect(tab.locator("#how-it-works")).to_contain_text("Choose an item that is worth more than you wager")
    expect(tab.locator("#why-not")).to_have_text("Choose an item first.")

    tab.locator("#items button").first.click()

    expect(tab.locator("#how-it-works")).to_be_hidden()
    open_details(tab)
    expect(tab.locator("#commitment")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    expect(tab.locator("#limits")).to_contain_text("The house edge is 5 %.")


@pytest.mark.security("The token in the browser")
def test_a_won_spin_is_paid_celebrated_and_verified(tab, site, player):
    forbidden = []
    tab.on("console", lambda said: forbidden.append(said.text) if "Policy" in said.text else None)
    tab.emulate_media(reduced_motion="no-preference")
    tab.add_init_script(COUNT_BURSTS)
    sign_in(tab, site, player)

    verdict = spin(tab, seed_that(site, player, True, price=DEAREST))

    assert "Verified" in verdict
    expect(tab.locator("#outcome")).to_have_text(WON)
    expect(tab.locator("#reading")).to_have_text("+2,488.00 coins")
    assert tab.evaluate("bursts") == 1
    assert balance(tab) == 100 - 1 + DEAREST
    expect(tab.locator("#wheel")).to_have_attribute("aria-label", re.compile("stopped at .*, inside the lit"))
    expect(tab.locator(".account")).to_contain_text("Level")
    assert "$" not in tab.locator("body").inner_text()
    assert "unsafe" not in tab.request.get(site.url).headers["content-security-policy"]
    assert forbidden == []


@pytest.mark.regulation("RTS 14F: no false wins")
def test_a_lost_spin_is_told_without_celebration(tab, site, player):
    tab.emulate_media(reduced_motion="no-preference")
    tab.add_init_script(COUNT_BURSTS)
    sign_in(tab, site, player)

    assert "Verified" in spin(tab, seed_that(site, player, False, price=DEAREST))

    expect(tab.locator("#outcome")).to_have_text("You lost your wager of 1.00 coins.")
    expect(tab.locator("#game")).to_have_attribute("data-outcome", "lost")
    assert tab.evaluate("bursts") == 0
    expect(tab.locator("#proofs .result .coins")).to_have_text("\u22121.00 coins")


@pytest.mark.thorough
@pytest.mark.regulation("RTS 14E: results are not sped up")
def test_the_wheel_turns_to_the_roll_before_the_outcome_is_shown(tab, site, player):
    turn_slowly(tab, site)
    tab.emulate_media(reduced_motion="no-preference")
    sign_in(tab, site, player)

    tab.locator("#spin").click()
    needle = turning(tab, ".needle")

    expect(tab.locator("#why-not")).to_have_text("The wheel is turning.")
    expect(tab.locator("#outcome")).to_be_empty()
    roll = newest_bet(site, player)["roll"] / 10_000_000
    assert needle.evaluate(TURNED) % 360 == pytest.approx(roll * 360, abs=0.01)


@pytest.mark.thorough
def test_with_reduced_motion_nothing_moves_before_the_end(tab, site, player):
    turn_slowly(tab, site)
    sign_in(tab, site, player)

    tab.locator("#spin").click()
    needle = turning(tab, ".needle")

    # A single step at the end. Browsers write it in either way.
    easing = needle.evaluate("animation => animation.effect.getTiming().easing")
    assert easing in ("step-end", "steps(1)")


@pytest.mark.regulation("RTS 12C: easy to find")
def test_a_spin_works_with_the_keyboard_alone(tab, site, player):
    sign_in(tab, site, player, item=None)
    tab_to(tab, "#items button")
    tab.keyboard.press("Enter")
    expect(tab.locator("#wager")).to_be_focused()

    tab.keyboard.insert_text("2")
    tab.keyboard.press("Enter")

    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")
    expect(tab.locator("#proofs")).to_contain_text("Wager 2.00")
    tab_to(tab, "#proofs a[href^='/verify']")
    with tab.context.expect_page() as opened:
        tab.keyboard.press("Enter")
    expect(opened.value.locator("#verdict")).to_contain_text("✓")
    tab_to(tab, "#player > button", key="Shift+Tab")
    tab.keyboard.press("Enter")
    tab_to(tab, "[href='/account/limits']")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Limits and breaks")).to_be_focused()


@pytest.mark.security("Bets that are refused because they win")
def test_a_refused_bet_that_would_have_won_is_reported_with_evidence(tab, site, player):
    refusal = {"status": False, "error": "Wager is above the limit"}
    refuse_bets(tab, lambda bet: refusal if bet["amount"] == 1 else None)
    sign_in(tab, site, player)
    open_details(tab)
    tab.fill("#client-seed", seed_that(site, player, True, price=DEAREST))
    tab.locator("#spin").click()
    expect(tab.locator("#outcome")).to_have_text("The spin was refused: Wager is above the limit.")

    tab.fill("#wager", "2")
    report = "Spin 1 was refused once with these seeds, and would have won"
    assert spin(tab) == f"{report}."
    expect(tab.locator("#fairness-state")).to_have_text("✗ Spin 1 not verified")
    tab.reload()
    expect(tab.locator("#reports li")).to_contain_text(report)
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Save the evidence").click()
    evidence = download.value.path()

    tab.goto(f"{site.url}/verify")
    tab.set_input_files("#evidence", evidence)
    expect(tab.locator("#evidence-seed")).to_contain_text("✓")
    expect(tab.locator("#evidence-verdict")).to_have_text(
        "✗ 1 bet was refused or not answered, and would have won."
    )
    settled = re.compile("settled, with a receipt.*: (won|lost)")
    expect(tab.locator("#evidence-bets li")).to_have_text([re.compile("would have won$"), settled])


@pytest.mark.thorough
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_is_needed_for_a_bet_is_visible_and_stays_in_place(tab, site, player, size):
    resize(tab, size)
    sign_in(tab, site, player)
    tab.locator("#items button").last.click()
    expect(tab.locator("#dial")).to_be_in_viewport(ratio=1)
    expect(tab.locator("#spin")).to_be_in_viewport(ratio=1)
    tab.evaluate("scrollTo(0, 0)")
    expect_stacked(tab, size, "#dial", "#wager", "#spin")
    before = [tab.locator(name).bounding_box() for name in ("#dial", "#spin", "#fairness")]

    spin(tab)

    expect(tab.get_by_role("button", name="Share this bet")).to_be_visible()
    assert [tab.locator(name).bounding_box() for name in ("#dial", "#spin", "#fairness")] == before
    expect(tab.get_by_role("button", name=re.compile(r"\(your account\) Level \d+$"))).to_be_in_viewport()
    go(tab, "Limits and breaks")
    tab.locator("#break-form").scroll_into_view_if_needed()
    expect(tab.locator("#spin")).not_to_be_in_viewport()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(640, 512), (320, 256)], ids=["200%", "400%"])
def test_a_zoomed_page_is_played_with_the_keyboard(tab, site, player, size):
    sign_in(tab, site, player)
    resize(tab, size)
    tab.locator("#items button").first.focus()
    tab_to(tab, "#wager", key="Shift+Tab")
    expect(tab.locator("#wager")).to_be_in_viewport(ratio=0.99)
    tab_to(tab, "#spin")
    expect(tab.locator("#spin")).to_be_in_viewport(ratio=0.99)

    tab.keyboard.press("Enter")

    expect(tab.locator("#proofs > li")).to_be_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.thorough
def test_a_bet_goes_on_while_another_page_is_open(tab, site, player):
    turn_slowly(tab, site)
    sign_in(tab, site, player)
    tab.locator("#spin").click()
    turning(tab, ".needle")

    go(tab, "Prizes")
    expect(tab.locator("#game")).to_have_count(0)
    go(tab, "Upgrader")

    expect(tab.locator("#why-not")).to_have_text("The wheel is turning.")
    expect(tab.locator("#reading-label")).to_have_text("Rolling")


@pytest.mark.thorough
def test_the_link_of_a_bet_is_copied_or_offered_to_other_apps(open_tab, site, player):
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    sign_in(tab, site, player)
    spin(tab)
    tab.get_by_role("button", name="Share this bet").click()
    expect(tab.locator("#game .share")).to_have_text("Link copied")
    link = f"{site.url}/b/{newest_bet(site, player)['id']}"
    assert tab.evaluate("navigator.clipboard.readText()") == link

    phone = open_tab(has_touch=True, is_mobile=True, storage_state=tab.context.storage_state())
    phone.add_init_script("navigator.share = async ({ url }) => { globalThis.shared = url; }")
    phone.goto(site.url)
    phone.get_by_role("button", name="Share spin 1").click()
    assert phone.evaluate("shared") == link


@pytest.mark.thorough
def test_sounds_are_off_until_the_player_turns_them_on(tab, site, player):
    tab.add_init_script("""
        globalThis.tones = 0;
        const { start } = AudioBufferSourceNode.prototype;
        AudioBufferSourceNode.prototype.start = function (...when) {
            tones += 1;
            return start.apply(this, when);
        };
    """)
    sign_in(tab, site, player)
    spin(tab)
    assert tab.evaluate("tones") == 0
    assert not [name for name in tab.evaluate(LOADED) if name.endswith(".wav")]

    tab.get_by_role("button", name="Sounds").click()
    wait_until(lambda: tab.evaluate("tones") == 1)
    spin(tab)

    # With reduced motion nothing ticks.
    wait_until(lambda: tab.evaluate("tones") == 2)
    tab.reload()
    expect(tab.get_by_role("button", name="Sounds")).to_have_attribute("aria-pressed", "true")


CHECK = {"since": 1_795_353_300_000, "minutes": 60, "wagered": 120, "paid": 90.5, "net": -29.5}
"""Began on 2026-11-22 at 13:15 in UTC."""

EQUAL = """buttons => buttons.map((button) => {
    const { color, background } = getComputedStyle(button);
    return [button.offsetWidth, button.offsetHeight, color, background].join();
})"""


@pytest.mark.regulation("RTS 13B: reality checks")
@pytest.mark.regulation("RTS 14A: no encouragement to go on")
def test_a_reality_check_stays_until_one_of_two_equal_buttons_answers_it(open_tab, site, player):
    tab = open_tab(timezone_id="Asia/Kolkata", locale="en-GB")
    sockets = []

    def connect(socket):
        socket.connect_to_server()
        sockets.append(socket)

    tab.route_web_socket("**/socket.io/**", connect)
    sign_in(tab, site, player)
    sockets[-1].send("42" + json.dumps(["limits:reality-check", CHECK]))
    check = tab.get_by_role("dialog", name="Time to check how you are doing")
    expect(check).to_contain_text("You have been playing for 60 minutes, since 18:45.")
    expect(check.locator("dd")).to_have_text(["120.00 coins", "90.50 coins", "\u221229.50 coins"])
    for key in ("Escape", "Escape", "Enter", "Space"):
        tab.keyboard.press(key)

    expect(check).to_be_visible()
    first, second = check.get_by_role("button").evaluate_all(EQUAL)
    assert first == second
    assert violations_as_shown(tab, "#reality-check") == {}
    check.get_by_role("button", name="Continue").click()
    expect(check).to_be_hidden()
    assert site.get("/stats/games", player).json()["data"]["totalGames"] == 0
