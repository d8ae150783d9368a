"""Tabs of a real browser, and what axe finds in them."""

import os
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect

from tests.harness.servers import ROOT

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 20_000

DESKTOP, PHONE = (1366, 768), (390, 844)
NARROW = (320, 640)
"""The width of WCAG 1.4.10, Reflow."""

SCREENSHOTS = os.environ.get("SCREENSHOTS")
"""The directory for the screenshots of the documents, if they are to be written."""

AXE = ROOT / "tests/js/node_modules/axe-core/axe.min.js"
LOADED_BYTES = """
  [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(({ initiatorType, name }) => initiatorType !== "img" && !/\\.(webp|png|svg)/.test(name))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
"""
"""What a page has loaded until now, compressed: its document, styles, scripts and data, without pictures."""
TOO_WIDE = """
  [document.documentElement, ...document.querySelectorAll(".panel")]
    .filter((part) => part.scrollWidth > part.clientWidth).map((part) => `${part.tagName} ${part.className}`)
"""

expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def tabs(chromium):
    """Opens tabs of browsers in which nobody has been before. The page must not report an error."""
    with ExitStack() as stack:
        problems = []

        def open_tab(**options) -> Page:
            size = dict(zip(("width", "height"), DESKTOP, strict=True))
            context = stack.enter_context(
                chromium.new_context(**{"viewport": size, "reduced_motion": "reduce", **options})
            )
            tab = context.new_page()
            tab.set_default_timeout(PATIENCE_MS)
            tab.on("pageerror", lambda error: problems.append(str(error)))
            return tab

        yield open_tab
    assert problems == []


def resize(tab, size):
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))


def violations(tab, part="html", dark_part=None):
    """The rules of axe that a part of the page breaks, with the elements. The last look is a dark desktop.

    With ``dark_part``, the contrast of only this part is checked in the dark.
    """
    return {
        **violations_at(tab, NARROW, "light", part),
        **violations_at(tab, DESKTOP, "dark", dark_part or part),
    }


def violations_at(tab, size, theme, part="html"):
    """The same at one size in one theme."""
    resize(tab, size)
    tab.emulate_media(color_scheme=theme)
    # The other rules do not depend on the theme.
    rules = {"runOnly": ["color-contrast"]} if theme == "dark" else {}
    return {(name, size, theme): elements for name, elements in violations_as_shown(tab, part, rules).items()}


def violations_as_shown(tab, part="html", rules=None):
    """The same as the tab is shown now."""
    if not tab.evaluate("'axe' in globalThis"):
        tab.evaluate(AXE.read_text(encoding="utf-8"))
    result = tab.evaluate(
        "([part, rules]) => axe.run(part, { resultTypes: ['violations'], ...rules })", [part, rules or {}]
    )
    found = {rule["id"]: [node["html"] for node in rule["nodes"]] for rule in result["violations"]}
    too_wide = tab.evaluate(TOO_WIDE)
    return found | ({"width": too_wide} if too_wide else {})


def screenshot(tab, name):
    """Write a screenshot, if a directory for them is set."""
    if SCREENSHOTS:
        tab.evaluate("scrollTo(0, 0)")
        tab.wait_for_load_state("networkidle")
        with Image.open(BytesIO(tab.screenshot())) as image:
            image.save(Path(SCREENSHOTS) / f"{name}.webp", quality=85)
