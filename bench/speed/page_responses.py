"""What the page loads at first, and how long it takes to show what a key or a click did.

Chromium itself measures both, the second (Event Timing) from the event to the next frame that is painted,
slowed down four times.
"""

from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.speed.machine import running_on
from bench.speed.result import Row
from bench.speed.stage import Stage
from services.demo.seed import seed
from tests.harness.players import create_player
from tests.harness.programs import BROWSER
from tests.harness.servers import RunningServer, free_port
from tests.support.chromium import LOADED_BYTES

GOAL_MS = 200
"""Web Vitals call an interaction of at most this time good."""

GOAL_KILOBYTES = 150

SLOWED_DOWN = 4
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
COINS = 1_000
SHORTEST_MS = 16
"""Chromium reports no events that took less."""

OBSERVE = f"""
    globalThis.waits = [];
    new PerformanceObserver((list) => {{
      for (const {{ interactionId, duration }} of list.getEntries()) if (interactionId) waits.push(duration);
    }}).observe({{ type: "event", durationThreshold: {SHORTEST_MS} }});
"""
# Entries are delivered some time after the frame.
PAINTED = """
    () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(waits.splice(0)), 500)))
"""


def measure(stage: Stage) -> Iterator[Row]:
    """The slowest kind of interaction, by its slowest repetition."""
    url, port = stage.new_sqlite(), free_port()
    with stage.platform_here(url) as app:
        seed(app.extensions["services"])
        token = create_player(app, coins=COINS).token
    with (
        # Sockets are for pages of known origins.
        stage.platform(
            url, port=port, UPGRADER_PROOF_DELAY="0.3", CORS_ORIGINS=f"http://127.0.0.1:{port}"
        ) as server,
        running_on(stage.cores.load),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=BROWSER.path, args=SWITCHES)
        tab = _open_page(browser, server, token)
        loaded = tab.evaluate(LOADED_BYTES)
        waits = _waits(tab, rounds=stage.rounds)
        browser.close()
    yield Row(
        work="the first load of the built-in page, compressed, without pictures",
        against="what a player should have to wait for",
        goal=GOAL_KILOBYTES,
        measured=loaded / 1_000,
        at_most=True,
        unit="kB",
    )
    slowest_first = sorted(waits, key=lambda name: -waits[name])
    slowest = slowest_first[0]
    yield Row(
        work=f"the built-in page, {slowest}, from event to frame, slowed down {SLOWED_DOWN} times",
        against='what Web Vitals call a good "Interaction to Next Paint"',
        goal=GOAL_MS,
        measured=waits[slowest],
        at_most=True,
        unit="ms",
        detail="; ".join(f"{name} {waits[name]:.0f}" for name in slowest_first),
    )


def _open_page(browser: Any, server: RunningServer, token: str) -> Page:
    tab: Page = browser.new_page(viewport={"width": 1366, "height": 768})
    tab.add_init_script(OBSERVE)
    tab.goto(f"{server.url}/?token={token}")
    tab.locator("#items button").first.click()
    tab.locator("#spin[aria-disabled=false]").wait_for()
    tab.evaluate(PAINTED)
    session = tab.context.new_cdp_session(tab)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED_DOWN})
    return tab


def _waits(tab: Page, *, rounds: int) -> dict[str, float]:
    """The longest wait in ms of each kind of interaction."""
    waits: dict[str, float] = {}

    def note(name: str, act: Callable[[], None]) -> None:
        act()
        longest = max(tab.evaluate(PAINTED), default=SHORTEST_MS)
        waits[name] = max(longest, waits.get(name, 0))

    for number in range(rounds):
        note("typing a wager", lambda: _type_wager(tab))
        note("choosing an item", tab.locator("#items button").nth(number + 1).click)
        note("pressing spin", tab.locator("#spin").click)
        tab.locator("#spin[aria-disabled=false]").wait_for()
        for name in ("Cases", "Ranking", "Fair", "Upgrader"):
            link = tab.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name=name)
            note(f"opening {name}", link.click)
        tab.locator("#items button").first.wait_for()
    return waits


def _type_wager(tab: Page) -> None:
    tab.locator("#wager").press("Control+a")
    tab.locator("#wager").press_sequentially("1.25")
