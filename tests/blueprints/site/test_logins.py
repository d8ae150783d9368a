"""Linking and removing logins on the page Security, with the login pages of the demonstration."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, serve_site
from tests.support.chromium import violations_as_shown

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

LINKED = "You can sign in with your identity provider now."


@pytest.fixture(scope="module")
def site(tmp_path_factory, sqlite_files, warm_start):
    directory = tmp_path_factory.mktemp("logins")
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(warm_start, directory, database_url, DEMO_LOGINS="1") as site,
    ):
        yield site


def log_in(tab, site, provider, person):
    tab.goto(site.url)
    tab.evaluate("localStorage.clear()")
    tab.reload()
    tab.locator("#spectator").get_by_role("link", name=f"Sign in with {provider}").click()
    tab.get_by_role("link", name=f"Log in as {person}").click()
    expect(tab.locator("#player")).to_be_visible()


def link_identity(tab, choice):
    tab.get_by_role("button", name="Link a login with your identity provider").click()
    expect(tab.get_by_role("heading", name="Log in with the identity provider")).to_be_visible()
    tab.get_by_role("link", name=choice).click()


def test_a_login_is_linked_and_the_first_one_removed(tab, site):
    log_in(tab, site, "the game platform", "newcomer")
    expect(tab.locator("#username")).not_to_be_empty()
    name = tab.locator("#username").inner_text()
    go(tab, "Security")
    expect(tab.get_by_role("button", name="Link a login with your identity provider")).to_be_visible()
    assert violations_as_shown(tab) == {}
    other = tab.context.new_page()
    other.goto(f"{site.url}/account/security")

    link_identity(tab, "Log in as newcomer")

    expect(other.get_by_role("button", name="Remove the login with your identity provider")).to_be_visible()
    expect(tab.locator("#notice")).to_have_text(LINKED)
    expect(tab.get_by_role("heading", name="Security")).to_be_visible()
    assert tab.url == f"{site.url}/account/security"
    tab.get_by_role("button", name="Remove the login with the game platform").click()
    tab.click("#remove-login-accept")
    expect(tab.locator("#security-said")).to_have_text("The login with the game platform is removed.")
    tab.get_by_role("button", name="Remove the login with your identity provider").click()
    tab.click("#remove-login-accept")
    expect(tab.locator("#security-said")).to_have_text("Your last way to log in can't be removed.")
    assert violations_as_shown(tab) == {}

    log_in(tab, site, "your identity provider", "newcomer")
    expect(tab.locator("#username")).to_have_text(name)


def test_a_link_that_fails_is_explained(tab, site):
    log_in(tab, site, "your identity provider", "demo")
    log_in(tab, site, "the game platform", "demo")
    go(tab, "Security")

    link_identity(tab, "Cancel")
    expect(tab.locator("#notice")).to_have_text(
        "Linking did not work, or was cancelled. Nothing has changed; you can try again."
    )
    link_identity(tab, "Log in as demo")

    expect(tab.locator("#notice")).to_have_text(
        "This login belongs to another account, so it was not linked. Nothing has changed."
    )
