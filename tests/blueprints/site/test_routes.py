"""The addresses of the pages, which the server and the browser must agree on."""

import re

import pytest
from playwright.sync_api import expect

from bench.harness.servers import ROOT
from blueprints.site.routes import PAGES
from tests.blueprints.site.conftest import go, sign_in
from tests.support.chromium import PHONE, resize

ROUTES = ROOT / "blueprints/site/static/routes.js"


def test_the_server_answers_every_page_of_the_browser():
    paths = re.findall(r'path: "([^"]+)"', ROUTES.read_text(encoding="utf-8"))

    assert {re.sub(r":(\w+)", r"<\1>", path) for path in paths} == set(PAGES)


def test_every_page_has_the_same_document(client):
    pages = {client.get(path.replace("<id>", "night-shift")).data for path in PAGES}

    assert len(pages) == 1


@pytest.mark.browser
def test_back_reload_and_new_tabs_show_the_page_of_the_address(tab, site, player):
    sign_in(tab, site, player, item=None)
    go(tab, "Ranking")
    tab.select_option("#period", "monthly")
    expect(tab).to_have_url(f"{site.url}/ranking?period=monthly")
    go(tab, "Prizes")
    expect(tab).to_have_title("Prizes · Upgrader")

    tab.go_back()

    expect(tab.get_by_role("heading", name="Ranking")).to_be_focused()
    expect(tab.locator("#period")).to_have_value("monthly")
    expect(tab).to_have_title("Ranking · Upgrader")
    tab.go_back()
    expect(tab.locator("#period")).to_have_value("weekly")
    tab.reload()
    expect(tab.locator("#period")).to_have_value("weekly")
    with tab.context.expect_page() as opened:
        tab.get_by_role("link", name="Cases", exact=True).click(modifiers=["Control"])
    expect(opened.value.get_by_role("heading", name="Cases").first).to_be_visible()


@pytest.mark.browser
def test_a_bet_goes_on_while_another_page_is_open(tab, site, player):
    rules = site.get("/upgrader/rules").json() | {"proofDelay": 2}
    tab.route("**/upgrader/rules", lambda route: route.fulfill(json=rules))
    sign_in(tab, site, player)
    tab.locator("#spin").click()
    expect(tab.locator("#game")).to_have_attribute("data-spinning", "")

    go(tab, "Prizes")
    expect(tab.locator("#game")).to_have_count(0)
    go(tab, "Upgrader")

    expect(tab.locator("#outcome")).to_contain_text("You ")
    expect(tab.locator("#proofs .verdict")).to_contain_text("Verified")


@pytest.mark.browser
def test_a_list_opened_on_a_phone_is_shown_instead_of_the_wheel_above(tab, site):
    resize(tab, PHONE)
    tab.goto(site.url)

    go(tab, "Ranking")

    expect(tab.get_by_role("heading", name="Ranking")).to_be_in_viewport()
    expect(tab.locator("#period")).to_be_in_viewport()


@pytest.mark.browser
def test_a_link_to_a_list_shows_it_on_a_phone(tab, site):
    resize(tab, PHONE)

    tab.goto(f"{site.url}/ranking")

    expect(tab.get_by_role("heading", name="Ranking")).to_be_in_viewport()
