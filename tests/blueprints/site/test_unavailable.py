"""What browsers show while the service is unavailable."""

import peewee
import pytest
from playwright.sync_api import expect

from bench.harness.waiting import wait_until
from blueprints.site.routes import UNAVAILABLE_PAGE, UNAVAILABLE_POLICY
from tests.blueprints.site.conftest import go

BROWSER_ACCEPTS = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
MINUTE_MS = 60_000


@pytest.fixture
def failing(app, client):
    """Requests to pages whose views find no database, with this header Accept."""

    def fail():
        raise peewee.OperationalError("gone")

    for name in ("site.page", "site.verify"):
        app.view_functions[name] = fail
    return lambda path, accept: client.get(path, headers={"Accept": accept})


def test_the_unavailable_page_is_html_for_browsers_only(failing):
    for path in ("/", "/verify"):
        shown, told = failing(path, BROWSER_ACCEPTS), failing(path, "application/json, text/html;q=0.5")

        assert (shown.status_code, shown.text) == (503, UNAVAILABLE_PAGE)
        assert shown.content_type.startswith("text/html")
        assert shown.headers["Content-Security-Policy"] == UNAVAILABLE_POLICY
        assert (told.status_code, told.json) == (503, {"error": "The service is temporarily unavailable"})


@pytest.fixture
def unavailable(tab, site):
    """The page that a browser gets while the service is unavailable, with a clock that the test moves."""
    headers = {"Content-Type": "text/html", "Content-Security-Policy": UNAVAILABLE_POLICY}
    tab.clock.install()
    tab.route(
        f"{site.url}/**", lambda route: route.fulfill(status=503, headers=headers, body=UNAVAILABLE_PAGE)
    )
    tab.goto(site.url)
    expect(tab.locator("#state")).to_contain_text("tries again by itself")
    return tab


@pytest.mark.browser
def test_an_unavailable_page_is_shown_when_the_service_is_back(unavailable):
    unavailable.unroute_all()

    unavailable.clock.run_for(MINUTE_MS)

    expect(unavailable.locator("#line")).to_have_text("Live")


@pytest.mark.browser
def test_an_unavailable_page_stops_trying_and_says_so(unavailable):
    again = unavailable.get_by_role("button", name="Try again now")
    wait_until(lambda: unavailable.clock.run_for(MINUTE_MS / 4) or again.is_visible())

    expect(unavailable.locator("#state")).to_contain_text("still unavailable")
    again.click()

    expect(unavailable.locator("#state")).to_contain_text("tries again by itself")


@pytest.mark.browser
def test_the_page_shows_an_unavailable_api_and_retries(tab, site, player):
    unavailable = {"status": 503, "json": {"error": "The service is temporarily unavailable"}}
    for path in ("items/pagination?*", "leaderboard?*"):
        tab.route(f"**/{path}", lambda route: route.fulfill(**unavailable))
    tab.goto(f"{site.url}/?token={player['token']}")
    expect(tab.locator("#notice")).to_have_text(
        "The service is temporarily unavailable. This page tries again by itself."
    )
    with tab.expect_request("**/leaderboard?*"):
        go(tab, "Ranking")
    expect(tab.locator("#line")).to_have_text("Live")

    with tab.expect_response(lambda response: "/items/pagination" in response.url and response.ok):
        tab.unroute("**/items/pagination?*")
    expect(tab.locator("#notice")).to_be_visible()
    tab.unroute("**/leaderboard?*")

    expect(tab.locator("#leaders li").first).to_be_visible()
    expect(tab.locator("#notice")).to_be_hidden()


@pytest.mark.browser
def test_the_page_stops_trying_an_unavailable_api_after_some_minutes(guest):
    requests = []
    guest.clock.install()

    def refuse(route):
        requests.append(route.request.url)
        route.fulfill(status=503, json={"error": "The service is temporarily unavailable"})

    guest.route("**/leaderboard?*", refuse)
    go(guest, "Ranking")
    note = guest.locator("#leaders-note")
    wait_until(lambda: guest.clock.run_for(MINUTE_MS / 6) or "could not be loaded" in note.inner_text())

    assert len(requests) == 60
    expect(guest.locator("#notice")).to_be_hidden()
    guest.unroute_all()
    guest.clock.resume()
    go(guest, "Upgrader")
