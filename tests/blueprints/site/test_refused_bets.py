"""A server that refuses the bets that win, or does not answer them, is never shown as fair.

Without a house edge a wager one cent below the price wins all but four of 1,000,000 rolls, and a wager of one
cent loses as many. So the proxy before the server knows which bets win without looking at a roll.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from bench.harness.waiting import wait_until
from tests.blueprints.site.conftest import DROPPED, choose_case, route_bets, serve_site, sign_in
from tests.support.chromium import tabs

pytestmark = pytest.mark.browser

FAILED = {"status": False, "error": "Something went wrong"}
TOO_HIGH = {"status": False, "error": "Wager is above the limit"}
PRICE = 2489
SURE, HOPELESS = "2488.99", "0.01"
REPLACED = "The server replaced its commitment to bet 1 after a bet was sent"
IMAGE = "https://example.com/prize.webp"
IRL_CASE = {
    "id": "sure-thing",
    "name": "Sure Thing",
    "price": 1000,
    "items": [
        {
            "name": "Bicycle",
            "image": IMAGE,
            "price": 1000.01,
            "percentage": 99.999,
        },
        {"name": "Sticker", "image": IMAGE, "price": 0, "percentage": 0.001},
    ],
}


@pytest.fixture(scope="module")
def house(tmp_path_factory, sqlite_files, warm_start):
    """A server without a house edge."""
    directory = tmp_path_factory.mktemp("house")
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(warm_start, directory, database_url, demo=True, UPGRADER_HOUSE_EDGE="0") as house,
    ):
        cases = directory / "irl.json"
        cases.write_text(json.dumps([IRL_CASE]))
        house.run("irl", "import", str(cases))
        yield house


@pytest.fixture
def tab(house, chromium):
    """The page of a rich player, behind a proxy (``route_bets``)."""
    with tabs(chromium) as open_tab:
        tab = open_tab()
        route_bets(tab)
        (tab.player,) = house.run("users", "create", "whale", "--balance=100000")
        yield sign_in(tab, house, tab.player)


def refuse(tab, answer):
    """Lets the proxy give this answer to all bets that win."""
    tab.refuse = lambda bet: answer if bet.get("amount") == float(SURE) or "case" in bet else None


def bet(tab, wager):
    """Spins for the dearest item; what the page shows when the bet is over."""
    tab.fill("#wager", wager)
    tab.locator("#spin").click()
    expect(tab.locator("#outcome")).not_to_be_empty()
    expect(tab.locator("#game")).not_to_have_attribute("data-spinning", "")


def verdict(tab, nonce):
    return tab.locator(f"#proofs > [data-nonce='{nonce}'] .verdict")


def seeds(tab):
    return [(bet["clientSeed"], bet["requestId"]) for bet in tab.bets]


def evidence(tab):
    """The file that the page offers."""
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Save the evidence").click()
    return download.value.path()


@pytest.mark.security("Bets that are refused because they win")
def test_a_failed_bet_is_retried_with_the_same_id(tab):
    refuse(tab, FAILED)
    bet(tab, SURE)
    expect(tab.locator("#spin")).to_have_text("Try again for 2,488.99 coins")

    bet(tab, HOPELESS)
    tab.reload()
    expect(tab.locator("#spin")).to_have_text("Try again for 2,488.99 coins")
    tab.locator("#spin").click()
    expect(tab.locator("#outcome")).to_contain_text("Something went wrong")

    assert len(tab.bets) == 3
    assert tab.bets[0] == tab.bets[1] == tab.bets[2]
    assert tab.locator("#proofs li").count() == 0


def test_a_bet_settled_after_a_failure_is_verified(tab):
    refuse(tab, FAILED)
    bet(tab, SURE)
    tab.refuse = lambda _bet: None

    tab.locator("#spin").click()

    expect(verdict(tab, 1)).to_contain_text("Verified")
    assert tab.bets[0] == tab.bets[1]
    expect(tab.locator("#reports li")).to_have_count(0)


@pytest.mark.security("Bets that are refused because they win")
def test_a_refused_spin_that_would_have_won_is_reported(tab):
    refuse(tab, TOO_HIGH)
    bet(tab, SURE)
    bet(tab, HOPELESS)

    report = "Spin 1 was refused once with these seeds, and would have won"
    expect(verdict(tab, 1)).to_have_text(f"{report}.")
    expect(tab.locator("#fairness-state")).to_have_text("✗ Spin 1 not verified")
    assert len(set(seeds(tab))) == 2
    tab.reload()
    expect(tab.locator("#reports li")).to_contain_text(report)


@pytest.mark.security("Bets that are refused because they win")
def test_the_verify_page_recomputes_evidence_of_refused_bets(tab, house):
    refuse(tab, TOO_HIGH)
    bet(tab, SURE)
    choose_case(tab, "Sure Thing")
    tab.locator("#spin").click()
    expect(tab.locator("#outcome")).to_contain_text("refused")
    tab.get_by_role("link", name="Back to the wheel").click()
    bet(tab, HOPELESS)
    expect(verdict(tab, 1)).to_contain_text("would have won")
    saved = evidence(tab)

    tab.goto(f"{house.url}/verify")
    tab.set_input_files("#evidence", saved)

    expect(tab.locator("#evidence-seed")).to_have_text("✓ The server seed is the one that was committed to.")
    expect(tab.locator("#evidence-verdict")).to_have_text(
        "✗ 2 bets were refused or not answered, and would have won."
    )
    expect(tab.locator("#evidence-bets li")).to_have_text(
        [
            re.compile("Wager is above the limit .*: would have won"),
            re.compile("sure-thing.*Bicycle, worth 1000.01.*would have won"),
            re.compile("settled, with a receipt.*: lost"),
        ]
    )


@pytest.mark.parametrize("broken", ["", "{}", '{"attempts": [{"algorithm": "upgrader-2"}]}'])
def test_a_file_that_is_no_evidence_is_not_verified(house, open_tab, broken):
    tab = open_tab()
    tab.goto(f"{house.url}/verify")

    tab.set_input_files("#evidence", {"name": "e.json", "mimeType": "", "buffer": broken.encode()})

    expect(tab.locator("#evidence-problem")).not_to_be_empty()
    expect(tab.locator("#evidence-result")).to_be_hidden()


def age_by(tab, seconds):
    """Makes the page believe that its bets were decided earlier."""
    tab.evaluate(
        """ms => {
          for (const [key, text] of Object.entries(localStorage)) {
            const entry = key.startsWith("attempts/") ? JSON.parse(text) : {};
            if (!entry.decidedAt) continue;
            localStorage.setItem(key, JSON.stringify({ ...entry, decidedAt: entry.decidedAt - ms }));
          }
        }""",
        seconds * 1000,
    )


@pytest.mark.parametrize("awaited", ["decidedAt", "proof"])
@pytest.mark.parametrize("game", ["spin", "opening"])
def test_a_bet_interrupted_by_a_reload_goes_on(tab, house, game, awaited):
    rules = house.get("/upgrader/rules").json() | {"proofDelay": 1_000}
    tab.route("**/upgrader/rules", lambda route: route.fulfill(json=rules))
    tab.reload()
    tab.locator("#items button").first.click()
    if game == "opening":
        choose_case(tab, "Sure Thing")
    tab.fill("#wager", "12.00") if game == "spin" else None
    tab.locator("#spin").click()
    has_come = f"Object.values(localStorage).some((text) => text.includes('{awaited}\"'))"
    wait_until(lambda: tab.evaluate(has_come))

    for end in tab.sockets[-1]:
        end.close()
    tab.route_web_socket("**/socket.io/**", lambda _socket: None)
    tab.reload()
    expect(tab.locator("#why-not")).to_contain_text("is turning")
    expect(tab.locator("#game-title")).to_have_text("Upgrade" if game == "spin" else "Sure Thing")
    if game == "spin":
        expect(tab.locator("#wager")).to_have_value("12.00")
        expect(tab.locator("#wanted-name")).to_contain_text("Karambit")

    age_by(tab, 2_000)
    route_bets(tab)
    tab.reload()

    expect(verdict(tab, 1)).to_contain_text("Verified")
    expect(tab.locator("#outcome")).to_contain_text("You ")
    assert house.get("/stats/games", tab.player).json()["data"]["totalGames"] == 1


def test_a_bet_whose_tab_was_closed_is_verified_elsewhere(tab, house):
    tab.rewrite = lambda _tab, message: message if message.startswith(("0", "40")) else None
    tab.locator("#spin").click()
    wait_until(lambda: house.get("/stats/games", tab.player).json()["data"]["totalGames"] == 1)
    new = tab.context.new_page()
    tab.close()

    sign_in(new, house, tab.player, item=None)

    expect(verdict(new, 1)).to_contain_text("Verified")
    new.close()


@pytest.mark.security("Bets that are refused because they win")
def test_a_bet_that_the_browser_cannot_record_is_not_sent(tab):
    tab.evaluate("localStorage.setItem('full', 'x'.repeat(5 * 1024 * 1024 - 2000))")
    tab.evaluate("for (let n = 0; ; n++) try { localStorage.setItem(`f${n}`, 'x'); } catch { break; }")

    tab.locator("#spin").click()

    expect(tab.locator("#outcome")).to_contain_text("The bet was not sent")
    assert tab.bets == []


@pytest.mark.security("Bets that are refused because they win")
def test_refusals_are_counted_across_reloads(tab):
    refuse(tab, TOO_HIGH)
    bet(tab, SURE)
    tab.reload()
    tab.locator("#items button").first.click()
    bet(tab, SURE)
    bet(tab, HOPELESS)

    expect(verdict(tab, 1)).to_have_text("Spin 1 was refused twice with these seeds, and would have won.")


def test_a_refused_spin_that_would_have_lost_is_not_reported(tab):
    tab.refuse = lambda _bet: TOO_HIGH
    bet(tab, HOPELESS)
    tab.refuse = lambda _bet: None

    bet(tab, HOPELESS)

    expect(verdict(tab, 1)).to_contain_text("Verified")
    expect(tab.locator("#reports li")).to_have_count(0)


@pytest.mark.security("Bets that are refused because they win")
def test_a_refused_opening_that_would_have_won_is_reported(tab):
    choose_case(tab, "Sure Thing")
    refuse(tab, {"status": False, "error": "Case is not available"})
    tab.locator("#spin").click()
    expect(tab.locator("#outcome")).to_contain_text("refused")
    tab.get_by_role("link", name="Back to the wheel").click()

    bet(tab, HOPELESS)

    expect(verdict(tab, 1)).to_have_text(
        "Opening 1 was refused once with these seeds, and would have paid more than its price."
    )


def test_a_failed_opening_is_retried_unchanged_after_a_reload(tab):
    choose_case(tab, "Sure Thing")
    refuse(tab, FAILED)
    tab.locator("#spin").click()
    expect(tab.locator("#spin")).to_have_text("Try again for 1,000.00 coins")
    tab.reload()
    tab.refuse = lambda _bet: None

    tab.locator("#spin").click()

    expect(verdict(tab, 1)).to_contain_text("Verified")
    assert tab.bets[0] == tab.bets[1]


@pytest.mark.security("Bets that are refused because they win")
def test_an_unanswered_winning_bet_is_not_replaced_by_another(tab, house):
    refuse(tab, DROPPED)
    tab.fill("#wager", SURE)
    tab.locator("#spin").click()
    expect(tab.locator("#reading-label")).to_have_text("Rolling")
    tab.reload()
    expect(tab.locator("#reading-label")).to_have_text("Rolling")
    expect(tab.locator("#line")).to_have_text("Live")

    house.run("seeds", "redraw")
    house.get("/upgrader/commitment", tab.player)
    expect(tab.locator("#reports li")).to_contain_text(REPLACED)
    tab.reload()
    tab.locator("#items button").first.click()
    bet(tab, HOPELESS)

    assert tab.bets[0] == tab.bets[1]
    expect(verdict(tab, 1)).to_contain_text(REPLACED)
    expect(verdict(tab, 1)).not_to_contain_text("Verified")


@pytest.mark.security("Bets that are refused because they win")
def test_a_commitment_replaced_while_closed_is_shown_and_kept(tab, house):
    before = tab.locator("#commitment").text_content()
    tab.goto("about:blank")
    house.run("seeds", "redraw")

    sign_in(tab, house, tab.player)

    report = tab.locator("#reports li")
    expect(report).to_contain_text("The server replaced its commitment to bet 1 before a bet was sent.")
    bet(tab, HOPELESS)
    expect(verdict(tab, 1)).to_contain_text("Verified")
    tab.reload()
    expect(report).to_contain_text("replaced its commitment")
    assert json.loads(evidence(tab).read_text())["serverSeedCommitment"] == before


@pytest.mark.security("Bets that are refused because they win")
def test_a_commitment_whose_bet_was_skipped_is_shown(tab):
    refuse(tab, FAILED)
    bet(tab, SURE)
    first = tab.locator("#commitment").text_content()
    # As if the first bet had been played.
    tab.rewrite = lambda _tab, message: message.replace('"nonce":1', '"nonce":2').replace(first, "c" * 64)
    tab.reload()

    expect(tab.locator("#reports li")).to_contain_text(
        "The server has not revealed the seed of its commitment to bet 1"
    )


@pytest.mark.security("Verification in the browser")
def test_a_roll_with_an_unannounced_nonce_is_not_verified(tab):
    tab.rewrite = lambda _tab, message: (
        message.replace('"nonce":1,', '"nonce":9,').replace('"nonce":1}', '"nonce":9}')
        if '"upgrader:proof"' in message or '"upgrader:pf"' in message
        else message
    )

    tab.locator("#spin").click()

    expect(tab.locator("#outcome")).not_to_be_empty()
    expect(tab.locator("#fairness-state")).not_to_be_empty()
    expect(tab.locator("#fairness-state")).not_to_contain_text("✓")
