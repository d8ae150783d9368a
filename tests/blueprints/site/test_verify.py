"""/verify recomputes a bet in the browser, with the server and without it."""

import json
import re
from decimal import Decimal
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.support.chromium import tabs
from tests.support.golden_log import golden_files
from tests.support.golden_vectors import OPENINGS, REFUSED, REFUSED_OPENINGS, SPINS

pytestmark = pytest.mark.browser

SPIN = SPINS[0]
OPENING = OPENINGS[0]


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


@pytest.fixture(scope="module")
def shared_verify(chromium, site):
    with tabs(chromium) as open_tab:
        tab = open_tab()
        tab.goto(f"{site.url}/verify")
        yield tab


@pytest.fixture
def verify(shared_verify):
    """Shows values in a page that is loaded already; returns what it shows, or its problem."""
    return lambda values: shared_verify.evaluate(SHOW_EACH, [urlencode(values)])[0]


def shown(output):
    """What the page shows of a vector's output."""
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


def test_the_page_gives_all_golden_vectors(shared_verify):
    vectors = [*SPINS, *OPENINGS, *REFUSED, *REFUSED_OPENINGS]

    results = shared_verify.evaluate(SHOW_EACH, [urlencode(vector["input"]) for vector in vectors])

    expected = [shown(vector["output"]) for vector in SPINS]
    expected += [shown_opening(vector["output"]) for vector in OPENINGS]
    assert results[: len(expected)] == expected
    assert {type(result) for result in results[len(expected) :]} == {str}


BUILT_IN_SPINS = """async (spins) => {
  const { digestOf, sha256 } = await import("/assets/fairness/seeds.js");
  const { rollOf, thresholdOf } = await import("/assets/fairness/rolls.js");
  return Promise.all(spins.map(async (spin) => {
    const roll = rollOf(await digestOf(spin.serverSeed, `${spin.clientSeed}:${spin.nonce}:0`));
    const threshold = thresholdOf(spin);
    const committed = await sha256(spin.serverSeed) === spin.serverSeedCommitment;
    return { committed, roll, threshold, win: roll < threshold };
  }));
}"""


def test_the_built_in_page_gives_all_golden_vectors_of_spins(guest):
    spins = [
        vector["input"]
        | {"wagerCents": int(Decimal(vector["input"]["betAmount"]) * 100)}
        | {"priceCents": int(Decimal(vector["input"]["price"]) * 100)}
        | {"edge": float(vector["input"]["houseEdge"])}
        for vector in SPINS
    ]

    results = guest.evaluate(BUILT_IN_SPINS, spins)

    assert results == [{name: vector["output"][name] for name in results[0]} for vector in SPINS]


BUILT_IN_OPENINGS = """async (openings) => {
  const { digestOf, sha256 } = await import("/assets/fairness/seeds.js");
  const { percentOfTicket, readSnapshot, ticketOf, winnerOf } = await import("/assets/fairness/tickets.js");
  return Promise.all(openings.map(async ({ algorithm, serverSeed, clientSeed, nonce, content }) => {
    const game = algorithm.split("-")[0];
    const ticket = ticketOf(await digestOf(serverSeed, `${game}:${clientSeed}:${nonce}:0`));
    const { items } = readSnapshot(content);
    const { name: item, priceCents } = items[winnerOf(ticket, items).position];
    return {
      ticket: String(ticket), percent: percentOfTicket(ticket), snapshot: await sha256(content), item,
      amount: priceCents / 100,
    };
  }));
}"""


def test_the_built_in_page_gives_all_golden_vectors_of_openings(guest):
    results = guest.evaluate(BUILT_IN_OPENINGS, [vector["input"] for vector in OPENINGS])

    assert results == [{name: vector["output"][name] for name in results[0]} for vector in OPENINGS]


def test_the_page_has_the_colours_of_the_built_in_page(site):
    colours = [
        set(re.findall(r"--[\w-]+: [^;]+;", site.get(path).text)) for path in ("/verify", "/assets/theme.css")
    ]

    assert len(colours[0]) > 10
    assert colours[0] <= colours[1]


def test_a_saved_page_works_from_the_disk_without_a_network(tab, site, tmp_path):
    saved = tmp_path / "verify.html"
    saved.write_bytes(site.get("/verify").content)
    requests = []
    tab.on("request", lambda request: requests.append(request.url))
    tab.context.set_offline(True)

    tab.goto(saved.as_uri())

    assert tab.evaluate(SHOW_EACH, [urlencode(SPIN["input"])]) == [shown(SPIN["output"])]
    assert {url.partition("#")[0] for url in requests} == {saved.as_uri()}


@pytest.mark.security("Verification in the browser")
def test_the_page_sends_its_values_nowhere(tab, site):
    requests = []
    tab.on("request", lambda request: requests.append((request.method, request.url, request.post_data)))

    tab.goto(f"{site.url}/verify#{urlencode(SPIN['input'])}")
    expect(tab.locator("#verdict")).to_have_text(shown(SPIN["output"])["verdict"])
    expect(tab.locator("#outcome")).to_have_text(shown(SPIN["output"])["outcome"])
    assert tab.input_value("#price") == SPIN["input"]["price"]
    tab.fill("#betAmount", "2.00")
    tab.click("#verify")
    tab.locator("#threshold", has_text="1900000").wait_for()

    # A request never contains the fragment, though the browser reports it here.
    assert [(method, url.partition("#")[0][-7:], body) for method, url, body in requests] == [
        ("GET", "/verify", None)
    ]
    failed = tab.evaluate("fetch('/healthz').then(() => 'sent', () => 'refused')")
    assert failed == "refused"


@pytest.mark.browser
def test_a_link_to_a_bet_shows_its_result_without_scrolling(tab, site):
    tab.goto(f"{site.url}/verify#{urlencode(SPIN['input'])}")

    expect(tab.locator("#verdict")).to_be_in_viewport()


def test_values_are_entered_and_verified_with_the_keyboard_alone(tab, site):
    tab.goto(f"{site.url}/verify")
    tab.locator("#algorithm").focus()
    for name in ("serverSeedCommitment", "serverSeed", "clientSeed", "nonce", "betAmount", "price"):
        tab.keyboard.press("Tab")
        tab.keyboard.insert_text(SPIN["input"][name])

    tab.keyboard.press("Enter")

    expect(tab.locator("#roll")).to_have_text(shown(SPIN["output"])["roll"])
    expect(tab.locator("#verdict")).to_contain_text("✓")
    expect(tab.get_by_role("heading", name="Result")).to_be_focused()


def test_the_fields_of_an_opening_appear_with_its_algorithm(tab, site):
    given = OPENING["input"]
    tab.goto(f"{site.url}/verify")
    tab.select_option("#algorithm", given["algorithm"])
    for name in ("serverSeedCommitment", "serverSeed", "clientSeed", "nonce", "snapshot", "content"):
        tab.fill(f"#{name}", given[name])

    tab.click("#verify")

    expect(tab.locator("#ticket")).to_have_text(shown_opening(OPENING["output"])["ticket"])
    expect(tab.locator("#snapshot-verdict")).to_contain_text("✓")
    expect(tab.get_by_label("Wager")).to_be_hidden()


def test_without_content_only_an_openings_ticket_is_shown(verify):
    given = {name: value for name, value in OPENING["input"].items() if name != "content"}

    result = verify(given)

    assert result["ticket"] == shown_opening(OPENING["output"])["ticket"]
    assert result["outcome"] == "Enter the content of the snapshot"


def test_a_problem_is_announced_and_its_field_gets_the_focus(tab, site):
    tab.goto(f"{site.url}/verify")
    tab.fill("#serverSeed", SPIN["input"]["serverSeed"])
    tab.fill("#clientSeed", "äbcd")

    tab.click("#verify")

    expect(tab.get_by_role("alert").filter(has_text="client seed")).to_be_visible()
    expect(tab.get_by_label("Client seed")).to_be_focused()
    expect(tab.get_by_label("Client seed")).to_have_attribute("aria-invalid", "true")


def test_without_commitment_and_wager_only_the_roll_is_shown(verify):
    result = verify({name: SPIN["input"][name] for name in ("serverSeed", "clientSeed", "nonce")})

    assert result["roll"] == shown(SPIN["output"])["roll"]
    assert result["outcome"] == "Enter wager and price"
    assert result["verdict"].startswith("Compare")


def test_a_price_may_be_written_as_the_api_writes_it(verify):
    assert verify(SPIN["input"] | {"price": "$10.00"}) == shown(SPIN["output"])


def test_an_unknown_algorithm_is_not_verified(verify):
    assert "case-2" in verify(SPIN["input"] | {"algorithm": "case-2"})


def test_the_page_leads_back_to_the_game_except_from_a_saved_copy(tab, site, tmp_path):
    saved = tmp_path / "verify.html"
    saved.write_text(site.get("/verify").text, encoding="utf-8")
    tab.goto(saved.as_uri())
    expect(tab.get_by_role("heading", name="Verify a bet")).to_be_visible()
    expect(tab.get_by_text("Back to the game")).to_be_hidden()
    tab.goto(f"{site.url}/verify")

    tab.get_by_role("link", name="Back to the game").click()

    expect(tab.locator("#line")).to_have_text("Live")


def test_over_plain_http_the_page_explains_the_missing_verification(tab, site):
    page = site.get("/verify").text
    tab.route("http://play.example.com/**", lambda route: route.fulfill(body=page, content_type="text/html"))

    tab.goto(f"http://play.example.com/verify#{urlencode(SPIN['input'])}")

    expect(tab.get_by_role("alert").filter(has_text="plain http")).to_be_visible()
    expect(tab.locator("#verify")).to_be_disabled()


LOG_FILES = golden_files()
LOG_BETS = json.loads(LOG_FILES["bets.json"])
CHECKS = {
    "inclusion": "The bet is entry 2 of the 7 in the checkpoint",
    "signature": "The checkpoint is signed with the key of play.example.com/log",
    "commitment": "The entry has the commitment that was announced for the bet",
    "nonce": "The entry has the nonce of the bet",
    "clientSeed": "The entry has the client seed that was sent",
    "next": "The entry has the commitment that was announced for the next bet",
    "terms": "The entry has the terms of the bet: algorithm, wager, price, edge, threshold",
}


def check_log_file(tab, file, *, key=LOG_FILES["key"]):
    """Chooses a file of the log; the lines of its checks, or the problem."""
    tab.evaluate("key => { document.getElementById('logKey').value = key; }", key)
    tab.set_input_files("#logFile", [])
    tab.set_input_files("#logFile", {"name": "bet", "mimeType": "", "buffer": file.encode()})
    expect(tab.locator("#log-checks:visible li, #log-problem:not(:empty)").first).to_be_visible()
    return tab.locator("#log-checks:visible li, #log-problem:not(:empty)").all_inner_texts()


def open_with(tab, site, bet):
    tab.goto("about:blank")
    tab.goto(f"{site.url}/verify#{urlencode(bet)}")
    expect(tab.locator("#hash")).not_to_be_empty()


@pytest.mark.security("Verification in the browser")
def test_a_proof_and_a_receipt_of_the_log_are_checked(tab, site):
    open_with(tab, site, LOG_BETS["spin"])

    proof = check_log_file(tab, LOG_FILES["spin.tlog-proof"])
    receipt = check_log_file(tab, LOG_FILES["spin.receipt"])

    assert proof == [f"✓ {text}" for text in CHECKS.values()]
    assert receipt == [line.replace("checkpoint is", "receipt is") for line in proof[1:]]
    open_with(tab, site, LOG_BETS["opening"])
    assert {line[0] for line in check_log_file(tab, LOG_FILES["opening.tlog-proof"])} == {"✓"}


@pytest.mark.security("Verification in the browser")
def test_altered_proofs_and_receipts_of_the_log_fail(shared_verify, site):
    altered = json.loads(LOG_FILES["altered.json"])
    open_with(shared_verify, site, LOG_BETS["spin"])

    accepted = [
        each["why"]
        for each in altered
        if not each.get("bet")
        and (lines := check_log_file(shared_verify, each["file"], key=each.get("key", LOG_FILES["key"])))
        and all(line.startswith("✓") for line in lines)
    ]

    assert accepted == []


@pytest.mark.parametrize("name", ["serverSeedCommitment", "clientSeed", "nonce", "next", "price"])
def test_a_proof_of_another_bet_is_not_accepted(shared_verify, site, name):
    other = {"nonce": "7", "price": "11.00", "clientSeed": "another"}.get(name, "ab" * 32)
    open_with(shared_verify, site, LOG_BETS["spin"] | {name: other})

    lines = check_log_file(shared_verify, LOG_FILES["spin.tlog-proof"])

    assert [line[0] for line in lines].count("✗") == 1


@pytest.mark.security("Verification in the browser")
def test_a_browser_without_ed25519_says_so_and_checks_the_rest(tab, site):
    tab.add_init_script("""
      const prototype = globalThis.SubtleCrypto?.prototype ?? {};  // about:blank has none.
      const { importKey } = prototype;
      prototype.importKey = function (format, bytes, algorithm, ...more) {
        if (algorithm.name === "Ed25519") throw new DOMException("", "NotSupportedError");
        return importKey.call(this, format, bytes, algorithm, ...more);
      };
    """)
    open_with(tab, site, LOG_BETS["spin"])

    lines = check_log_file(tab, LOG_FILES["spin.tlog-proof"])

    assert lines[1] == "? This browser can't check signatures of the kind Ed25519"
    assert {line[0] for line in (lines[0], *lines[2:])} == {"✓"}


def test_without_a_key_of_the_log_the_rest_is_checked(shared_verify, site):
    open_with(shared_verify, site, LOG_BETS["spin"])

    lines = check_log_file(shared_verify, LOG_FILES["spin.tlog-proof"], key="")

    assert lines[1] == "? Without a key, the signature of the checkpoint can't be checked"
    assert len(lines) == len(CHECKS)


def test_each_value_of_a_bet_is_a_group_of_its_list(client):
    [values] = re.findall("<dl>((?:(?!</dl>).)*roll.*?)</dl>", client.get("/verify").text, re.DOTALL)

    # A list has groups or bare pairs, never both.
    assert re.sub("<div[^>]*><dt>.*?</dd></div>", "", values).strip() == ""
