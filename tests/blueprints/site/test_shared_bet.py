"""The page of a shared bet in a real browser: it recomputes the bet without being asked."""

import json

import pytest
from playwright.sync_api import expect

from bench.harness.sockets import Socket
from tests.support.chromium import violations

pytestmark = pytest.mark.browser


@pytest.fixture
def play(site, player):
    """Plays a bet of a game, and returns its id once its proof has come."""

    def play_one(game):
        socket = Socket(site.url, auth={"token": player["token"]})
        if game == "upgrader":
            item = site.get("/upgrader/items").json()[-1]["marketHashName"]
            assert socket.spin({"amount": 0.01, "item": item})["status"]
        else:
            cases = site.get("/api/cases" if game == "case" else "/irl").json()
            cheapest = min(cases, key=lambda case: case["price"])
            assert socket.call(f"{game}:open", {"case": cheapest["id"]})["status"]
        proof = socket.expect(f"{game}:proof")
        socket.close()
        found = site.get(f"/stats/fairness?search={proof['nonce']}", player).json()
        return found["data"]["items"][0]["id"]

    return play_one


def test_a_bet_of_each_game_is_verified_without_being_asked(site, tab, play):
    for game in ("upgrader", "case", "irl"):
        tab.goto(f"{site.url}/b/{play(game)}")

        expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "good")
        assert tab.locator("#checks .failed").count() == 0
        # The seeds, the outcome, and the entry in the public log.
        assert tab.locator("#checks .passed").count() >= 8
        assert violations(tab) == {}, game


def answer_with(tab, path, text):
    """Gives the page this answer instead of the server's."""
    tab.unroute_all()
    tab.route(path, lambda route: route.fulfill(body=text))


CHANGES = {
    "another server seed": lambda bet: bet["pf"].update(serverSeed="0" * 64),
    "another client seed": lambda bet: bet["pf"].update(clientSeed="another-seed"),
    "another price": lambda bet: bet.update(price="$99999.00"),
}


def test_an_altered_answer_is_not_verified(site, tab, play):
    bet_id = play("upgrader")
    answer = site.get(f"/bets/{bet_id}").text
    for name, change in CHANGES.items():
        altered = json.loads(answer)
        change(altered)
        answer_with(tab, f"**/bets/{bet_id}", json.dumps(altered))

        tab.goto(f"{site.url}/b/{bet_id}")

        expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "bad")
        assert tab.locator("#checks .failed").count() >= 1, name


def test_the_log_of_a_bet_is_looked_up_under_its_present_name(site, tab, play):
    """A log that has lost its end goes on under another one."""
    bet_id = play("upgrader")
    answer_with(tab, "**/log/current", json.dumps({"origin": "play.example.com/log-0badcafe"}))

    with tab.expect_request("**/log-0badcafe/key"):
        tab.goto(f"{site.url}/b/{bet_id}")


def test_another_case_than_the_one_that_was_opened_is_not_verified(site, tab, play):
    bet_id = play("case")
    content = json.loads(site.get(f"/snapshots/{site.get(f'/bets/{bet_id}').json()['snapshot']}").text)
    content["items"].reverse()
    answer_with(tab, "**/snapshots/*", json.dumps(content))

    tab.goto(f"{site.url}/b/{bet_id}")

    expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "bad")


def test_the_page_leads_to_the_verification_without_this_server(site, tab, play):
    tab.goto(f"{site.url}/b/{play('case')}")

    tab.locator("#verify").click()

    expect(tab.locator("body")).to_contain_text("\u2713 The content is that of the snapshot.")


def test_without_an_answer_the_page_says_that_nothing_is_verified(site, tab, play):
    bet_id = play("upgrader")
    tab.route(f"**/bets/{bet_id}", lambda route: route.abort())

    tab.goto(f"{site.url}/b/{bet_id}")

    expect(tab.locator("#verdict")).to_have_attribute("data-verdict", "unknown")
    expect(tab.locator("#verdict")).to_contain_text("the server did not answer")


def test_without_javascript_the_page_shows_the_bet(site, open_tab, play):
    tab = open_tab(java_script_enabled=False)

    tab.goto(f"{site.url}/b/{play('upgrader')}")

    expect(tab.locator("h1")).to_be_visible()
    expect(tab.locator("#verdict")).to_contain_text("when JavaScript is on")
