"""The programs of docs/front-end.md work as they are printed."""

import json
import re
import subprocess

import pytest

from bench.harness.node import NODE, SCRIPTS, TIMEOUT_SECONDS
from bench.harness.servers import ROOT
from tests.support.golden_vectors import OPENINGS
from tests.support.markers import sqlite_only
from tests.support.two_factor import Authenticator

pytestmark = pytest.mark.process


PAGE = (ROOT / "docs" / "front-end.md").read_text()
CLIENT, _, VERIFIER, CODES, _ = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)

# What the program has already: the proof and the game; and a server that returns a content.
HAVE = """
const { proof, game, content: stored } = JSON.parse(process.env.GIVEN);
const ADDRESS = "https://play.example.com";
const expected = `${ADDRESS}/snapshots/${proof.snapshot}`;
globalThis.fetch = async (url) => new Response(url === expected ? stored : "");
"""


def run(program, **env):
    return subprocess.run(
        [NODE, "--input-type=module", "--eval", program],
        cwd=SCRIPTS,
        env=env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@sqlite_only
def test_the_example_finds_the_roll_fair_or_says_why_it_cannot_connect(add_item, player, server):
    add_item(price=10)

    played = run(CLIENT, ADDRESS=server, TOKEN=player.token)
    refused = run(CLIENT, ADDRESS=server, TOKEN="not-a-token")

    assert played.stdout.splitlines()[-1:] == ["fair"], played.stderr
    assert (refused.returncode, refused.stderr.strip()) == (1, "cannot connect: Unauthorized")


def test_the_verifier_of_an_opening_names_the_item_of_the_golden_vector():
    for vector in (OPENINGS[0], OPENINGS[2], *OPENINGS[-2:]):
        proof, expected = dict(vector["input"]), vector["output"]
        given = {
            "content": proof.pop("content"),
            "game": proof.pop("algorithm").removesuffix("-1"),
            "proof": proof,
        }

        verified = run(HAVE + VERIFIER, GIVEN=json.dumps(given))

        fair = expected["committed"] and expected["shown"]
        won = f"won {expected['item']}, worth {expected['amount']}"
        assert verified.stdout.strip() == (won if fair else "NOT FAIR"), (vector["why"], verified.stderr)


CLAIM = """
const { ADDRESS, TOKEN, CODE } = process.env;
const askForCode = async () => CODE;
for (const time of [1, 2]) console.log((await (await post("/affiliate/claim", TOKEN)).json()).message);
"""


@sqlite_only
def test_the_example_sends_a_request_again_with_the_code_that_it_needs(app, server, player):
    authenticator = Authenticator(app, player)

    def claim(code):
        return run(CLAIM + CODES, ADDRESS=server, TOKEN=player.token, CODE=code).stdout.splitlines()

    assert claim(authenticator.wrong()) == ["Invalid 2FA code"] * 2
    assert claim(authenticator.code()) == ["There is nothing to claim"] * 2
