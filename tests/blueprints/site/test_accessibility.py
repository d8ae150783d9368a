"""axe finds nothing on the pages at both sizes and in both themes.

With SCREENSHOTS set to a directory, the tests write the screenshots of the documents into it.
"""

import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from bench.harness.servers import ROOT
from tests.blueprints.site.conftest import DESKTOP, PHONE, open_details

pytestmark = pytest.mark.browser

AXE = ROOT / "tests/js/node_modules/axe-core/axe.min.js"
SCREENSHOTS = os.environ.get("SCREENSHOTS")

SIZES = {"page": DESKTOP, "phone": PHONE}
LOOKS = pytest.mark.parametrize("theme", ["dark", "light"])
BOTH_SIZES = pytest.mark.parametrize("size", SIZES)


@pytest.fixture
def look(open_tab, size, theme):
    return open_tab(SIZES[size], color_scheme=theme)


def violations(tab, part="html"):
    """The rules of axe that a part of the page breaks, with the elements."""
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    result = tab.evaluate("part => axe.run(part, { resultTypes: ['violations'] })", part)
    return {rule["id"]: [node["html"] for node in rule["nodes"]] for rule in result["violations"]}


def screenshot(tab, name):
    """Write a screenshot, if a directory for them is set."""
    if SCREENSHOTS:
        tab.evaluate("scrollTo(0, 0)")
        tab.wait_for_load_state("networkidle")
        with Image.open(BytesIO(tab.screenshot())) as image:
            image.save(Path(SCREENSHOTS) / f"{name}.webp", quality=85)


@BOTH_SIZES
@LOOKS
def test_axe_finds_nothing_before_and_after_a_spin(look, sign_in, spin, player, size, theme):
    sign_in(look, player, item=None)
    assert violations(look, "#game") == {}

    look.locator("#items button").nth(17).click()
    look.fill("#wager", "50")
    spin(look)

    screenshot(look, f"{size}-{theme}")
    open_details(look)
    look.locator("#proofs summary").first.click()
    assert violations(look) == {}


@BOTH_SIZES
@LOOKS
def test_axe_finds_nothing_on_leaderboard_and_menu(look, sign_in, player):
    sign_in(look, player, item=None)
    look.click("#player > button")
    assert violations(look, "header") == {}
    look.keyboard.press("Escape")

    look.get_by_role("tab", name="Leaderboard").click()
    look.locator("#leaders li").first.wait_for()
    assert violations(look, ".browse") == {}


@BOTH_SIZES
@LOOKS
def test_axe_finds_nothing_on_cases_an_opening_and_prizes(
    look, sign_in, choose_case, open_case, player, size, theme
):
    choose_case(sign_in(look, player, item=None), "Night Shift")
    look.locator("#cases button").first.wait_for()
    assert violations(look) == {}

    open_case(look, "Night Shift")

    screenshot(look, f"{size}-case-{theme}")
    look.locator("#proofs summary").first.click()
    assert violations(look) == {}
    open_case(look, "Desk Upgrade")
    look.get_by_role("tab", name="Prizes").click()
    look.get_by_role("button", name="Ship").click()
    look.click("#shipping-accept")
    expect(look.locator("#shipping-problem")).not_to_be_empty()
    assert violations(look, "#shipping") == {}
    look.keyboard.press("Escape")
    look.get_by_role("button", name="Sell").click()
    assert violations(look, "#sale") == {}


@BOTH_SIZES
@LOOKS
def test_axe_finds_nothing_on_the_account_and_its_dialogs(
    look, site, sign_in, open_account, player, size, theme
):
    # A raise that is not confirmed, a break, and a limit.
    for value in (50, 100):
        site.send("PUT", "/limits", {"kind": "wager", "period": "day", "value": value}, player)
    site.send("PUT", "/limits", {"kind": "loss", "period": "month", "value": 200}, player)
    site.post("/limits/exclusion", {"duration": "24h"}, player)
    open_account(sign_in(look, player, item=None))
    assert look.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
    assert violations(look) == {}
    if (size, theme) == ("page", "dark"):
        screenshot(look, "page-account-dark")

    look.get_by_role("button", name="Change daily wager limit").click()
    look.fill("#limit-value", "much")
    look.keyboard.press("Enter")
    expect(look.locator("#limit-problem")).not_to_be_empty()
    assert violations(look, "#limit") == {}
    look.keyboard.press("Escape")
    look.select_option("#break-duration", "permanent")
    look.get_by_role("button", name="Take a break").click()
    assert violations(look, "#break") == {}
    look.keyboard.press("Escape")
    look.get_by_role("button", name="Turn on two-factor authentication").click()
    expect(look.locator(".qr")).to_be_visible()
    assert violations(look, "#code-prompt") == {}
    look.keyboard.press("Escape")
    for dialog in ("recovery-dialog", "reality-check"):
        look.evaluate("id => document.getElementById(id).showModal()", dialog)
        assert violations(look, f"#{dialog}") == {}
        look.locator(f"#{dialog} button").last.click()


@BOTH_SIZES
@LOOKS
def test_axe_finds_nothing_on_the_page_that_verifies(look, site):
    look.goto(f"{site.url}/verify#serverSeed={'5e' * 32}&clientSeed=client&nonce=1")
    expect(look.locator("#roll")).to_contain_text("%")

    assert violations(look) == {}


@pytest.mark.parametrize(("size", "theme"), [("page", "light"), ("phone", "dark")])
def test_axe_finds_nothing_on_the_documentation_page_at_a_linked_operation(look, site):
    look.goto(f"{site.url}/docs/#getCase")
    expect(look.locator("#getCase")).to_be_visible()

    assert violations(look) == {}
