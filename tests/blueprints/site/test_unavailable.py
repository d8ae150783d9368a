"""What browsers show while the service is unavailable."""

import json

import pytest
from playwright.sync_api import expect

from blueprints.site.routes import UNAVAILABLE_PAGE, UNAVAILABLE_POLICY
from tests.harness.waiting import wait_until

pytestmark = pytest.mark.browser

MINUTE_MS = 60_000


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


def test_an_unavailable_page_is_shown_when_the_service_is_back(unavailable):
    unavailable.unroute_all()

    unavailable.clock.run_for(MINUTE_MS)

    expect(unavailable.locator("#line")).to_have_text("Live")


@pytest.mark.thorough
def test_an_unavailable_page_stops_trying_and_says_so(unavailable):
    again = unavailable.get_by_role("button", name="Try again now")
    wait_until(lambda: unavailable.clock.run_for(MINUTE_MS / 4) or again.is_visible())

    expect(unavailable.locator("#state")).to_contain_text("still unavailable")
    again.click()

    expect(unavailable.locator("#state")).to_contain_text("tries again by itself")


@pytest.mark.thorough
def test_a_page_that_has_asked_too_often_waits_and_goes_on(tab, site):
    refused = []

    def refuse_once(route):
        if refused:
            return route.continue_()
        refused.append(route.request.url)
        body = json.dumps({"error": "Too many requests"})
        return route.fulfill(status=429, headers={"Retry-After": "1"}, body=body)

    tab.route("**/upgrader/items/pagination*", refuse_once)
    tab.goto(site.url)
    expect(tab.locator("#notice")).to_contain_text("asked too often")

    expect(tab.locator("#items button").first).to_be_visible()

    expect(tab.locator("#notice")).to_be_hidden()
