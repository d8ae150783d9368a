"""DEMO_LOGINS: a page of this server stands in for the login pages of both providers."""

import re
from html import unescape

import pytest

from tests.blueprints.auth.conftest import FAILED, FRONTEND
from tests.harness.players import bearer
from tests.support.browser import BASE_URL, Browser, parameters

PROVIDERS = ["platform", "identity"]


@pytest.fixture
def settings():
    return {"DEMO_LOGINS": "1"}


def choose(browser, address, choice):
    """Opens the page at this address, and follows one of its links back; where that ends."""
    page = browser.client.get(address, base_url=BASE_URL, headers={"Accept": "text/html"})
    links = {text: unescape(url) for url, text in re.findall('href="([^"]+)">([^<]+)</a>', page.text)}
    return browser.back(links[choice]).headers["Location"]


def log_in(browser, provider, person):
    location = choose(browser, browser.begin(provider), f"Log in as {person}")
    return bearer(parameters(location)["token"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_person_of_a_provider_has_an_account(app, client, provider):
    accounts = [
        client.get("/auth/me", headers=log_in(Browser(app), provider, person)).json
        for person in ("demo", "newcomer", "demo")
    ]

    assert accounts[0] == accounts[2]
    assert len({account["platformid"] for account in accounts}) == 2
    assert accounts[0]["logins"] == [provider]


def test_the_demo_player_links_a_login_with_the_other_provider(app, client, run):
    headers = bearer(parameters(run("demo")["page"])["token"])
    browser = Browser(app)
    assert client.get("/auth/me", headers=headers).json["logins"] == ["platform"]
    body = {"provider": "identity"}
    url = browser.client.post("/auth/link", json=body, headers=headers, base_url=BASE_URL).json["url"]

    assert choose(browser, url, "Log in as newcomer") == f"{FRONTEND}?linked=identity"

    for provider, person in (("platform", "demo"), ("identity", "newcomer")):
        player = client.get("/auth/me", headers=log_in(Browser(app), provider, person)).json
        assert (player["username"], player["logins"]) == ("demo", PROVIDERS)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_demo_login_can_be_cancelled(app, provider):
    browser = Browser(app)

    assert choose(browser, browser.begin(provider), "Cancel") == FAILED


def test_there_is_no_such_page_without_the_setting(make_app, client):
    assert client.get("/demo-login/steam").status_code == 404
    assert make_app(DEMO_LOGINS="0").test_client().get("/demo-login/platform").status_code == 404
