"""docs/spin.mjs and the programs of docs/front-end.md work as they are printed."""

import json
import re
import subprocess
from types import SimpleNamespace

import pytest

from services.bets.upgrader import WagerAboveLimit
from services.bets.writer import BetWriter
from tests.harness.node import NODE, SCRIPTS, TIMEOUT_SECONDS
from tests.harness.players import import_case
from tests.harness.servers import ROOT
from tests.support.apps import ITEM
from tests.support.golden_vectors import OPENINGS
from tests.support.two_factor import Authenticator

pytestmark = pytest.mark.process


PAGE = (ROOT / "docs" / "front-end.md").read_text()
CLIENT = (ROOT / "docs" / "spin.mjs").read_text()
FETCH, OPEN, VERIFIER, WATCH, CODES, *_ = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)

# What the program has already: the proof and the game; and a server that returns a content.
HAVE = """
const { proof, game, content: stored } = JSON.parse(process.env.GIVEN);
const ADDRESS = "https://play.example.com";
const expected = `${ADDRESS}/snapshots/${proof.snapshot}`;
globalThis.fetch = async (url) => new Response(url === expected ? stored : "");
"""


def run_node(program, **env):
    return subprocess.run(
        [NODE, "--input-type=module", "--eval", program],
        cwd=SCRIPTS,
        env=env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.fixture
def spin(server, player, tmp_path):
    """Runs the example, which keeps its record from run to run."""

    def spin(amount="0.01", token=player.token):
        record = str(tmp_path / "attempts.json")
        return run_node(CLIENT, ADDRESS=server, TOKEN=token, AMOUNT=amount, RECORD=record)

    return spin


@pytest.fixture
def sent(monkeypatch):
    """What the server is asked to settle; it settles none that wins while ``refusal`` is set."""
    settle = BetWriter.write
    sent = SimpleNamespace(bets=[], refusal=None)

    def settle_losing(settler, settlement):
        sent.bets.append((settlement.client_seed, settlement.request_id, settlement.wager_cents))
        if sent.refusal and settlement.payout_cents:
            raise sent.refusal
        return settle(settler, settlement)

    monkeypatch.setattr(BetWriter, "write", settle_losing)
    return sent


def test_the_example_finds_two_rolls_fair_or_explains_itself(add_item, spin):
    add_item(price=10)

    played, refused = spin(), spin(token="not-a-token")

    lines = played.stdout.splitlines()
    assert lines.count("fair") == 2, played.stderr
    assert lines[-1] == "fair"
    assert (refused.returncode, refused.stderr.strip()) == (1, "cannot connect: Unauthorized")


# Without a house edge, this wager on this price wins all but four of a million rolls.
EDGELESS, PRICE, SURE = {"UPGRADER_HOUSE_EDGE": "0"}, 2489, "2488.99"


@pytest.fixture
def house(make_app, add_item, change_player):
    """A server without a house edge, and a rich player."""
    add_item(price=PRICE)
    change_player(balance_cents=1_000_000)


@pytest.mark.settings(**EDGELESS)
@pytest.mark.security("Bets that are refused because they win")
class TestADishonestServer:
    def test_a_refused_bet_that_would_have_won_is_named(self, house, spin, sent):
        sent.refusal = WagerAboveLimit()
        refused = spin(SURE)

        played = spin("0.01")

        assert refused.stderr.strip() == "Wager is above the limit"
        report = "Spin 1 was refused once with these seeds, and would have won"
        assert report in played.stdout.splitlines(), played.stderr
        assert played.stdout.splitlines()[-1] == "fair", "the second spin"

    @pytest.mark.thorough
    def test_a_bet_that_fails_is_sent_again_as_it_was(self, house, spin, sent):
        sent.refusal = RuntimeError()
        failed = spin(SURE)
        sent.refusal = None

        played = spin("0.01")

        assert "not settled" in failed.stderr
        assert len(set(sent.bets)) == 2, "the first one, and the second one of the run that works"
        assert len(sent.bets) == 5 + 2
        assert played.stdout.splitlines().count("fair") == 2, played.stderr


@pytest.mark.thorough
def test_the_example_verifier_names_the_golden_vectors_item():
    for vector in (OPENINGS[0], OPENINGS[2], *OPENINGS[-2:]):
        proof, expected = dict(vector["input"]), vector["output"]
        given = {
            "content": proof.pop("content"),
            "game": proof.pop("algorithm").removesuffix("-1"),
            "proof": proof,
        }

        verified = run_node(HAVE + VERIFIER, GIVEN=json.dumps(given))

        fair = expected["committed"] and expected["shown"]
        won = f"won {expected['item']}, worth {expected['amount']}"
        assert verified.stdout.strip() == (won if fair else "NOT FAIR"), (vector["why"], verified.stderr)


CLAIM = """
const { ADDRESS, TOKEN, CODE } = process.env;
const askForCode = async () => CODE;
for (const time of [1, 2]) console.log((await (await post("/affiliate/claim", TOKEN)).json()).message);
"""


@pytest.mark.thorough
def test_the_example_repeats_a_request_with_the_needed_code(app, server, player):
    authenticator = Authenticator(app, player)

    def claim(code):
        return run_node(CLAIM + CODES, ADDRESS=server, TOKEN=player.token, CODE=code).stdout.splitlines()

    assert claim(authenticator.wrong()) == ["Invalid 2FA code"] * 2
    assert claim(authenticator.code()) == ["There is nothing to claim"] * 2


OPENING = """
import { createHash } from "node:crypto";
import { io } from "socket.io-client";
const { ADDRESS, TOKEN, ID: id } = process.env;
const socket = io(ADDRESS, { auth: { token: TOKEN }, transports: ["websocket"] });
const { serverSeedCommitment } = await new Promise((resolve) => socket.once("upgrader:commitment", resolve));
const clientSeed = crypto.randomUUID();
"""


def test_the_example_fetches_a_case_and_opens_it(add_item, server, player):
    add_item(price=1)
    import_case("Box", {ITEM: 100})

    opened = run_node(
        f"{OPENING}{FETCH}{OPEN}console.log(answer.result.item); socket.disconnect();",
        ADDRESS=server,
        TOKEN=player.token,
        ID="box",
    )

    assert opened.stdout.strip() == ITEM, opened.stderr


WATCHING = """
import { io } from "socket.io-client";
const { ADDRESS, TOKEN, ID: id } = process.env;
const socket = io(ADDRESS, { transports: ["websocket"] });
"""
LEAVE = """
while (battle.version === 0) await new Promise((resolve) => setTimeout(resolve, 20));
const headers = { Authorization: `Bearer ${TOKEN}` };
await fetch(`${ADDRESS}/battles/${id}/leave`, { method: "POST", headers });
while (battle.state === "open") await new Promise((resolve) => setTimeout(resolve, 20));
socket.disconnect();
"""


def test_the_example_watches_a_battle(add_item, server, send, player):
    add_item(price=1)
    import_case("Box", {ITEM: 100})
    terms = {"cases": [{"case": "box"}], "mode": "normal", "teams": "1v1", "price": 1.06}
    _, battle = send(player, "POST", "/battles", terms)

    watched = run_node(f"{WATCHING}{WATCH}{LEAVE}", ADDRESS=server, TOKEN=player.token, ID=battle["id"])

    assert watched.stdout.splitlines() == ["open", "cancelled"], watched.stderr
