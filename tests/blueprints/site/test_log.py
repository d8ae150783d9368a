"""The page verifies bets in the public log, and keeps the receipts that promise their entries."""

import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from bench.harness.waiting import wait_until
from tests.blueprints.site.conftest import go, open_case, route_bets, sign_in, spin, tab_to

pytestmark = pytest.mark.browser

NOT_LOGGED = "The server has broken its promise about spin 1: it is not in the public log."


@pytest.fixture
def tab(site, open_tab):
    """The page of a new player, behind a proxy (``route_bets``)."""
    tab = open_tab()
    route_bets(tab)
    tab.player = site.new_player()
    return sign_in(tab, site, tab.player)


def open_log(tab):
    tab.get_by_role("link", name="Public log").click()
    expect(tab.locator("#log-parts")).to_be_visible()


def verify(tab, name):
    """Verifies a bet on the page "Log"; what it says."""
    tab.get_by_role("button", name=f"Verify {name}", exact=True).click()
    result = tab.locator("#logged li", has_text=name).get_by_role("status")
    expect(result.locator("strong")).to_be_visible()
    return result.inner_text().splitlines()


def receipt(tab, nonce=1):
    """Opens the details of a bet; what they say of its receipt."""
    line = tab.locator(f"#proofs > [data-nonce='{nonce}']")
    if line.locator("details").get_attribute("open") is None:
        line.locator("summary").click()
    return line.locator(".receipt")


def saved(tab, name):
    """The text that a link saves."""
    with tab.expect_download() as download:
        tab.get_by_role("link", name=name).click()
    return download.value.path().read_text(encoding="utf-8")


def open_verify(tab, site):
    """Opens /verify with the key of the log."""
    tab.goto(f"{site.url}/verify#{urlencode({'logKey': site.get('/log/key').text})}")


def compared(tab):
    """Waits until the page has compared a receipt with the log; the attempt with it."""
    script = """() => Object.entries(localStorage).filter(([key]) => key.startsWith("attempts/"))
      .map(([, text]) => JSON.parse(text)).find(({ logged, broken }) => logged !== undefined || broken)"""
    wait_until(lambda: tab.evaluate(script))
    return tab.evaluate(script)


def test_the_log_page_shows_the_log_at_its_own_address(site, tab):
    pseudonym = site.get("/log/me", tab.player).json()["player"]

    tab.goto(f"{site.url}/public-log")

    expect(tab.locator("#log-me")).to_have_text(pseudonym)
    expect(tab.locator("#log-keys")).to_have_text(site.get("/log/key").text.strip())
    assert tab.locator("#log-origin").inner_text() == site.url.removeprefix("http://") + "/log"
    checkpoint = tab.locator("#checkpoint").text_content()
    assert checkpoint.splitlines()[1] == tab.locator("#log-size").inner_text()
    assert saved(tab, "Download") == checkpoint
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.get_by_role("button", name="Copy the checkpoint").click()
    expect(tab.locator("#log-said")).to_have_text("Copied.")
    assert tab.evaluate("navigator.clipboard.readText()") == checkpoint


def test_the_modules_of_the_log_are_loaded_when_they_are_needed(tab):
    loaded = "performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())"
    modules = {"public-log.js", "log-proof.js", "receipts.js"}
    assert modules & set(tab.evaluate(loaded)) == set()

    open_log(tab)

    assert modules & set(tab.evaluate(loaded)) == {"public-log.js", "log-proof.js"}


def test_a_guest_sees_the_log(guest):
    guest.get_by_role("link", name="Public log").click()

    expect(guest.locator("#checkpoint")).not_to_be_empty()
    expect(guest.get_by_role("heading", name="Your bets in the log")).to_be_hidden()
    go(guest, "Upgrader")
    assert guest.url.endswith("/")


@pytest.mark.security("Verification in the browser")
@pytest.mark.parametrize("game", ["spin", "opening"])
def test_the_log_page_verifies_a_bet(tab, game):
    spin(tab) if game == "spin" else open_case(tab, "Night Shift")
    open_log(tab)

    verdict, *checks = verify(tab, f"{game} 1")

    assert re.fullmatch(r"Verified: entry \d+ of \d+", verdict)
    assert len(checks) == 8
    assert {line[0] for line in checks} == {"✓"}


FORGERIES = {
    "index": lambda proof: re.sub(r"index \d+", "index 0", proof),
    "signature": lambda proof: re.sub(r".{4}=\n$", "AAAA=\n", proof),
    "entry": lambda proof: re.sub("extra .*", "extra e30=", proof),
    "format": lambda _proof: "<html>",
}


@pytest.mark.security("Verification in the browser")
@pytest.mark.parametrize("forged", FORGERIES)
def test_a_forged_proof_is_refused(tab, forged):
    def forge(route):
        route.fulfill(body=FORGERIES[forged](route.fetch().text()), content_type="text/plain")

    spin(tab)
    compared(tab)
    tab.route("**/tlog-proof", forge)
    open_log(tab)

    assert verify(tab, "spin 1")[0].startswith("NOT verified")


@pytest.mark.security("Verification in the browser")
def test_a_receipt_is_kept_across_reloads(site, tab):
    spin(tab)
    index = compared(tab)["logged"]
    tab.reload()

    expect(receipt(tab)).to_contain_text(f"The bet is entry {index} of the log, as promised.")

    note = saved(tab, "Save the receipt")
    assert note == site.get("/log/receipts/1", tab.player).text
    open_verify(tab, site)
    tab.set_input_files("#logFile", {"name": "r", "mimeType": "", "buffer": note.encode()})
    expect(tab.locator("#log-checks li")).to_have_text(re.compile("✓ The receipt is signed"))


@pytest.mark.security("Verification in the browser")
def test_a_bet_that_is_not_in_the_log_is_a_broken_promise(site, tab):
    tab.route("**/tlog-proof", lambda route: route.fulfill(status=404, json={"error": "Not found"}))
    tab.clock.install()
    assert "Verified" in spin(tab)
    expect(receipt(tab)).to_contain_text("It has not been compared with the log yet.")

    tab.clock.fast_forward(20_000)

    expect(tab.locator("#reports li")).to_contain_text(NOT_LOGGED)
    expect(tab.locator("#proofs .verdict")).to_have_text(NOT_LOGGED)
    tab.reload()
    expect(tab.locator("#proofs .verdict")).to_contain_text(NOT_LOGGED)
    expect(receipt(tab)).to_contain_text("The promise is broken: it is not in the public log.")
    evidence = saved(tab, "Save the evidence")
    assert json.loads(evidence)["attempts"][0]["receipt"] == saved(tab, "Save the receipt")
    open_verify(tab, site)
    tab.set_input_files("#evidence", {"name": "e", "mimeType": "", "buffer": evidence.encode()})
    expect(tab.locator("#evidence-bets li")).to_contain_text("settled, with a signed receipt")


@pytest.mark.security("Verification in the browser")
def test_the_proof_of_another_bet_is_a_broken_promise(tab):
    proofs = []

    def repeat(route):
        proofs.append(route.fetch().text())
        route.fulfill(body=proofs[0], content_type="text/plain")

    tab.route("**/tlog-proof", repeat)
    spin(tab)
    compared(tab)

    spin(tab)

    expect(tab.locator("#reports li")).to_contain_text(
        "The server has broken its promise about spin 2: its proof in the public log is wrong."
    )


@pytest.mark.security("Verification in the browser")
def test_a_receipt_that_the_log_has_not_signed_is_not_trusted(tab):
    def change_wager(_tab, message):
        return message.replace('\\"wager\\":100', '\\"wager\\":101') if "log:receipt" in message else message

    tab.rewrite = change_wager
    spin(tab)

    assert compared(tab)["isValid"] is False
    expect(receipt(tab)).to_contain_text("but the receipt is not signed with its key")


def test_without_a_receipt_the_details_say_so(tab):
    tab.rewrite = lambda _tab, message: None if "log:receipt" in message else message
    spin(tab)

    expect(receipt(tab)).to_have_text("This browser has no receipt of this bet.")


def test_a_bet_is_verified_with_the_keyboard_alone(tab):
    spin(tab)
    tab.get_by_role("link", name="Public log").focus()

    tab.keyboard.press("Enter")
    expect(tab.get_by_role("button", name="Verify spin 1")).to_be_visible()
    tab_to(tab, "#logged button")
    tab.keyboard.press("Enter")

    expect(tab.locator("#logged strong")).to_contain_text("Verified")


def test_a_bet_older_than_the_log_is_not_called_verified(tab):
    def forget(route):
        route.fulfill(json=route.fetch().json() | {"log": None})

    spin(tab)
    compared(tab)
    tab.route(re.compile(r"/bets/\d+$"), forget)
    open_log(tab)

    assert verify(tab, "spin 1") == ["NOT verified: The server says that it is older than the log"]


@pytest.mark.security("Verification in the browser")
def test_a_bet_whose_number_is_played_again_is_a_broken_promise(tab):
    def without_proofs(_tab, message):
        return None if '"upgrader:proof"' in message else message

    tab.rewrite = without_proofs
    tab.locator("#spin").click()
    expect(tab.locator("#nonce")).to_have_text("2")
    wait_until(lambda: tab.evaluate("Object.values(localStorage).some((text) => text.includes('/receipt'))"))
    following = tab.locator("#commitment").text_content()

    def lost(_tab, message):
        """As after a restore without the bet."""
        return without_proofs(_tab, message.replace('"nonce":2', '"nonce":1').replace(following, "c" * 64))

    tab.rewrite = lost
    tab.reload()

    expect(tab.locator("#reports li", has_text=NOT_LOGGED)).to_be_visible()


def test_a_proof_that_can_not_be_fetched_is_reported_until_it_can(tab):
    tab.route("**/tlog-proof", lambda route: route.fulfill(status=500, json={}))
    tab.clock.install()
    spin(tab)
    expect(receipt(tab)).to_contain_text("It has not been compared with the log yet.")
    tab.clock.fast_forward(700_000)
    tab.reload()
    report = tab.locator("#reports li")
    expect(report).to_contain_text("The server has not proved that spin 1 is in the public log.")

    tab.unroute("**/tlog-proof")
    tab.reload()

    expect(receipt(tab)).to_contain_text("of the log, as promised.")
    expect(report).to_have_count(0)
