"""/verify: the page that recomputes a bet, and checks evidence and proofs of the log, without a server."""

import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.support.golden_log import golden_files
from tests.support.golden_vectors import OPENINGS, REFUSED, REFUSED_OPENINGS, SPINS

pytestmark = pytest.mark.browser

SPIN, OPENING = SPINS[0], OPENINGS[0]
LOG_FILES = golden_files()
LOG_BET = json.loads(LOG_FILES["bets.json"])["spin"]

# Opens each address in turn and returns what the page shows then. Only the page fills the texts cleared here.
SHOW_EACH = """async (addresses) => {
  const text = (id) => document.getElementById(id).textContent;
  const shown = [];
  for (const address of addresses) {
    for (const id of ["digest", "problem"]) document.getElementById(id).textContent = "";
    location.hash = address;
    for (let tries = 0; !text("digest") && !text("problem") && tries < 1000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const names = ["verdict", "snapshot-verdict", "roll", "threshold", "ticket", "outcome", "digest",
      "content-hash"];
    const isShown = (name) => document.getElementById(name).offsetParent !== null;
    const found = names.filter(isShown).map((name) => [name, text(name)]);
    shown.push(text("problem") || Object.fromEntries(found));
  }
  return shown;
}"""


def show(tab, *inputs):
    """What the page shows of each, or its problem."""
    return tab.evaluate(SHOW_EACH, [urlencode(each) for each in inputs])


def shown(output):
    """What the page shows of a spin's output."""
    verdict = "✓ The server seed is" if output["committed"] else "✗ The server seed is NOT"
    below = "Won: the roll is below" if output["win"] else "Lost: the roll is not below"
    return {
        "verdict": f"{verdict} the one that was committed to.",
        "snapshot-verdict": "",
        "roll": f"{output['roll']} ({output['percent']:.5f}%)",
        "threshold": f"{output['threshold']} ({output['chance']:.5f}%)",
        "outcome": f"{below} the threshold",
        "digest": output["digest"],
    }


def shown_opening(output):
    """Likewise, of an opening."""
    committed = "✓ The server seed is" if output["committed"] else "✗ The server seed is NOT"
    same = "✓ The content is" if output["shown"] else "✗ The content is NOT"
    return {
        "verdict": f"{committed} the one that was committed to.",
        "snapshot-verdict": f"{same} that of the snapshot.",
        "ticket": f"{output['ticket']} ({output['percent']:.5f}%)",
        "outcome": f"{output['item']}, worth {output['amount']:.2f}",
        "digest": output["digest"],
        "content-hash": output["snapshot"],
    }


@pytest.mark.security("Verification in the browser")
def test_a_page_saved_on_the_disk_gives_all_golden_vectors_without_a_network(tab, site, tmp_path):
    saved = tmp_path / "verify.html"
    saved.write_bytes(site.get("/verify").content)
    requests = []
    tab.on("request", lambda request: requests.append(request.url.partition("#")[0]))
    tab.context.set_offline(True)
    tab.goto(saved.as_uri())
    expect(tab.get_by_text("Back to the game")).to_be_hidden()

    vectors = [*SPINS, *OPENINGS, *REFUSED, *REFUSED_OPENINGS]
    results = show(tab, *(vector["input"] for vector in vectors))

    expected = [shown(vector["output"]) for vector in SPINS]
    expected += [shown_opening(vector["output"]) for vector in OPENINGS]
    assert results[: len(expected)] == expected
    assert {type(result) for result in results[len(expected) :]} == {str}
    assert set(requests) == {saved.as_uri()}


@pytest.mark.thorough
@pytest.mark.security("Verification in the browser")
def test_a_linked_bet_is_shown_and_its_values_are_sent_nowhere(tab, site):
    requests = []
    tab.on("request", lambda request: requests.append((request.method, request.url, request.post_data)))
    tab.goto(f"{site.url}/verify#{urlencode(SPIN['input'])}")
    expect(tab.locator("#verdict")).to_have_text(shown(SPIN["output"])["verdict"])
    expect(tab.locator("#verdict")).to_be_in_viewport()
    expect(tab.locator("#outcome")).to_have_text(shown(SPIN["output"])["outcome"])

    tab.fill("#betAmount", "2.00")
    tab.click("#verify")
    expect(tab.locator("#threshold")).to_contain_text("1900000")

    # A request never contains the fragment, though the browser reports it here.
    (request,) = requests
    assert (request[0], request[1].partition("#")[0], request[2]) == ("GET", f"{site.url}/verify", None)
    assert tab.evaluate("fetch('/healthz').then(() => 'sent', () => 'refused')") == "refused"


@pytest.mark.security("Verification in the browser")
@pytest.mark.thorough
def test_proofs_and_receipts_of_the_log_are_checked_against_the_bet(tab, site):
    def check(file):
        tab.set_input_files("#logFile", [])
        tab.set_input_files("#logFile", {"name": "bet", "mimeType": "", "buffer": file.encode()})
        lines = tab.locator("#log-checks:visible li, #log-problem:not(:empty)")
        expect(lines.first).to_be_visible()
        return [line[0] for line in lines.all_inner_texts()]

    tab.goto(f"{site.url}/verify#{urlencode(LOG_BET | {'logKey': LOG_FILES['key']})}")
    expect(tab.locator("#hash")).not_to_be_empty()

    assert check(LOG_FILES["spin.tlog-proof"]) == ["✓"] * 7
    assert check(LOG_FILES["spin.receipt"]) == ["✓"] * 6
    assert check(LOG_FILES["opening.tlog-proof"]).count("✗") == 3
    assert check("<html>") == ["T"], "This is neither a proof nor a receipt."


@pytest.mark.security("Verification in the browser")
@pytest.mark.thorough
def test_battles_and_their_receipts_are_checked(tab, site):
    def check(file):
        tab.set_input_files("#battleFile", [])
        tab.set_input_files("#battleFile", {"name": "battle", "mimeType": "", "buffer": file.encode()})
        lines = tab.locator("#battle-checks:visible li, #battle-problem:not(:empty)")
        expect(lines.first).to_be_visible()
        return [line[0] for line in lines.all_inner_texts()], tab.locator("#battle-verdict").inner_text()

    tab.goto(f"{site.url}/verify#{urlencode({'logKey': LOG_FILES['key']})}")
    battle = json.loads(LOG_FILES["battle.json"])
    altered = json.dumps(battle | {"battle": battle["battle"] | {"serverSeed": "00" * 32}})

    assert check(LOG_FILES["battle.json"]) == (["✓"] * 25, "✓ The battle is verified.")
    assert check(json.dumps(battle["receipt"])) == (["✓"] * 9, "✓ The battle is verified.")
    assert check(altered)[1] == "✗ The battle is NOT verified."
    assert check(json.dumps(battle["battle"]))[1] == "? Not everything could be checked."
    assert check("<html>")[0] == ["T"], "This is not the JSON of a battle."
    expect(tab.locator("#battle-result")).to_be_hidden()


@pytest.mark.thorough
@pytest.mark.parametrize("broken", ["", "{}", '{"attempts": [{"algorithm": "upgrader-2"}]}'])
def test_a_file_that_is_no_evidence_is_not_verified(tab, site, broken):
    tab.goto(f"{site.url}/verify")

    tab.set_input_files("#evidence", {"name": "e.json", "mimeType": "", "buffer": broken.encode()})

    expect(tab.locator("#evidence-problem")).not_to_be_empty()
    expect(tab.locator("#evidence-result")).to_be_hidden()


@pytest.mark.thorough
def test_what_is_missing_or_unknown_is_said(tab, site):
    tab.goto(f"{site.url}/verify")
    seeds = {name: SPIN["input"][name] for name in ("serverSeed", "clientSeed", "nonce")}
    no_content = {name: value for name, value in OPENING["input"].items() if name != "content"}

    roll, ticket, priced, unknown = show(
        tab, seeds, no_content, SPIN["input"] | {"price": "$10.00"}, SPIN["input"] | {"algorithm": "case-2"}
    )

    assert roll["roll"] == shown(SPIN["output"])["roll"]
    assert roll["outcome"] == "Enter wager and price"
    assert roll["verdict"].startswith("Compare")
    assert ticket["ticket"] == shown_opening(OPENING["output"])["ticket"]
    assert ticket["outcome"] == "Enter the content of the snapshot"
    assert priced == shown(SPIN["output"])
    assert "case-2" in unknown


@pytest.mark.thorough
def test_values_are_entered_corrected_and_verified_with_the_keyboard_alone(tab, site):
    tab.goto(f"{site.url}/verify")
    tab.locator("#algorithm").focus()
    for name in ("serverSeedCommitment", "serverSeed", "clientSeed", "nonce", "betAmount", "price"):
        tab.keyboard.press("Tab")
        tab.keyboard.insert_text("äbcd" if name == "clientSeed" else SPIN["input"][name])
    tab.keyboard.press("Enter")
    seed = tab.get_by_label("Client seed")
    expect(tab.get_by_role("alert").filter(has_text="client seed")).to_be_visible()
    expect(seed).to_be_focused()
    expect(seed).to_have_attribute("aria-invalid", "true")
    tab.keyboard.press("Control+a")
    tab.keyboard.insert_text(SPIN["input"]["clientSeed"])

    tab.keyboard.press("Enter")

    expect(tab.locator("#roll")).to_have_text(shown(SPIN["output"])["roll"])
    expect(tab.get_by_role("heading", name="Result")).to_be_focused()
    tab.select_option("#algorithm", OPENING["input"]["algorithm"])
    expect(tab.get_by_label("Wager")).to_be_hidden()
    expect(tab.get_by_label("Content of the snapshot")).to_be_visible()
    tab.get_by_role("link", name="Back to the game").click()
    expect(tab.locator("#line")).to_have_text("Live")


@pytest.mark.thorough
def test_over_plain_http_the_page_explains_the_missing_verification(tab, site):
    page = site.get("/verify").text
    tab.route("http://play.example.com/**", lambda route: route.fulfill(body=page, content_type="text/html"))

    tab.goto(f"http://play.example.com/verify#{urlencode(SPIN['input'])}")

    expect(tab.get_by_role("alert").filter(has_text=re.compile("plain http"))).to_be_visible()
    expect(tab.locator("#verify")).to_be_disabled()


def test_each_value_of_a_bet_is_a_group_of_its_list(client):
    [values] = re.findall("<dl>((?:(?!</dl>).)*roll.*?)</dl>", client.get("/verify").text, re.DOTALL)

    # A list has groups or bare pairs, never both.
    assert re.sub("<div[^>]*><dt>.*?</dd></div>", "", values).strip() == ""
