"""A session is one for all tabs of a browser, and a link replaces it only after a question."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import go, hold, sign_in

pytestmark = pytest.mark.browser


def expect_player(tab, player):
    expect(tab.locator("#username")).to_have_text(player["username"])


@pytest.mark.security("Links with a token")
def test_a_link_replaces_a_session_only_when_the_player_agrees(tab, site):
    alice, mallory = site.new_player(), site.new_player()
    link = f"{site.url}/?token={mallory['token']}"
    sign_in(tab, site, alice, item=None)

    tab.goto(link)
    tab.click("#offer button[value=cancel]")
    expect_player(tab, alice)
    assert "token" not in tab.url

    tab.goto(link)
    expect_player(tab, alice)
    tab.click("#offer-accept")
    expect_player(tab, mallory)
    tab.reload()
    expect_player(tab, mallory)


def test_a_player_whose_token_is_refused_becomes_a_guest(tab, site):
    tab.goto(f"{site.url}/?token=no-token")

    expect(tab.locator("#notice")).to_have_text("Your session has expired. Please sign in again.")
    expect(tab.locator("#spectator")).to_be_visible()
    expect(tab.locator("#line")).to_have_text("Live")


def test_a_player_whose_token_ends_becomes_a_guest(tab, site, player):
    sign_in(tab, site, player, item=None)
    site.post("/auth/logout-all", {}, player)

    tab.click("#player > button")

    expect(tab.locator("#notice")).to_have_text("Your session has expired. Please sign in again.")
    tab.goto(f"{site.url}/account/prizes")
    expect(tab.locator("#guest-note")).to_have_text("Sign in to see your prizes.")


def test_a_notice_is_gone_when_the_account_is_loaded(tab, site, player):
    tab.route("**/auth/me", lambda route: route.abort())
    tab.goto(f"{site.url}/?token={player['token']}")
    expect(tab.locator("#notice")).to_contain_text("Your account could not be loaded")
    tab.unroute_all()

    tab.click("#player > button")

    expect(tab.locator("#username")).to_have_text(player["username"])
    expect(tab.locator("#notice")).to_be_hidden()


@pytest.mark.security("Links with a token")
def test_in_production_only_this_tabs_login_needs_no_question(tab, production):
    alice, mallory = production.new_player(), production.new_player()
    link = f"{production.url}/?token={mallory['token']}"
    come_back_with(alice, tab, production)

    tab.goto(link)
    expect(tab.locator("#spectator")).to_be_visible()
    expect(tab.locator("#player")).to_have_count(0)
    tab.click("#offer button[value=cancel]")

    tab.click("#spectator a")
    expect_player(tab, alice)
    expect(tab.locator("#offer")).to_be_hidden()

    tab.goto(link)
    expect(tab.locator("#offer")).to_be_visible()
    expect_player(tab, alice)


@pytest.fixture
def two_tabs(tab, site, player):
    """Two tabs of the player's browser; only the first was signed in."""
    sign_in(tab, site, player, item=None)
    other = tab.context.new_page()
    other.goto(site.url)
    expect_player(other, player)
    return tab, other


@pytest.mark.security("Sessions in the browser")
def test_signing_out_signs_out_every_tab(two_tabs):
    tab, other = two_tabs
    go(other, "Limits and breaks")
    other.get_by_role("button", name="Set daily wager limit").click()

    tab.click("#player > button")
    tab.click("#sign-out")

    for each in two_tabs:
        expect(each.locator("#spectator")).to_be_visible()
        expect(each.locator("#player")).to_be_hidden()
        expect(each.locator("#line")).to_have_text("Live")
        assert each.evaluate("localStorage.token") is None
    expect(tab.locator("#why-not")).to_contain_text("guest")
    expect(other.locator("#guest-note")).to_have_text("Sign in to see your limits.")
    expect(other.locator("#notice")).to_have_text("You were signed out in another tab.")
    expect(other.locator("dialog[open]")).to_have_count(0)


@pytest.mark.security("Sessions in the browser")
def test_a_session_that_ends_elsewhere_ends_in_every_tab(two_tabs, site, player):
    tab, _ = two_tabs
    site.post("/auth/logout-all", {}, player)

    tab.click("#player > button")

    for each in two_tabs:
        expect(each.locator("#spectator")).to_be_visible()


@pytest.mark.security("Sessions in the browser")
def test_signing_in_replaces_the_other_player_in_every_tab(two_tabs, site):
    tab, _ = two_tabs
    bob = site.new_player()

    tab.goto(f"{site.url}/?token={bob['token']}")
    tab.click("#offer-accept")

    for each in two_tabs:
        expect_player(each, bob)
        expect(each.locator("#line")).to_have_text("Live")


@pytest.mark.security("Sessions in the browser")
def test_a_late_refusal_does_not_sign_out_the_next_token(two_tabs, site):
    tab, other = two_tabs
    bob = site.new_player()
    late = hold(other, "**/auth/me", lambda: other.click("#player > button"))
    tab.goto(f"{site.url}/?token={bob['token']}")
    tab.click("#offer-accept")
    expect_player(other, bob)

    with other.expect_response(lambda response: response.status == 401):
        late.fulfill(status=401, json={"error": "Unauthorized"})

    other.reload()
    expect_player(other, bob)


def test_a_guest_signs_in_where_the_bet_is_and_after_signing_out_has_the_focus_on_the_link(tab, production):
    player = production.new_player()
    come_back_with(player, tab, production)
    tab.goto(production.url)

    tab.locator("#why-not").get_by_role("link", name="Sign in with the game platform").click()
    expect_player(tab, player)
    tab.click("#player > button")
    tab.click("#sign-out")

    expect(tab.locator("#spectator a").first).to_be_focused()


@pytest.mark.security("Links with a token")
def test_the_same_players_new_demo_link_needs_no_question(tab, site, player):
    sign_in(tab, site, player, item=None)
    (again,) = site.run("users", "token", player["platformid"])

    tab.goto(f"{site.url}/?token={again['token']}")

    expect_player(tab, player)
    expect(tab.locator("#offer")).to_be_hidden()
    assert tab.evaluate("localStorage.token") == again["token"]


def come_back_with(player, tab, site):
    """Stand in for the provider, which sends the player back with a token."""
    back = f"<meta http-equiv=refresh content='0;url={site.url}/?token={player['token']}'>"
    tab.route("**/auth/platform", lambda route: route.fulfill(content_type="text/html", body=back))
