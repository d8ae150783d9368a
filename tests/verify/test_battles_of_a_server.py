"""The programs of verify/ have nothing to object to the battles of a server."""

import json
import subprocess

import pytest

from tests.harness.node import NODE
from tests.harness.servers import ROOT
from tests.harness.spins import Clock, at
from tests.support.arena import Arena
from verify import verify

pytestmark = [pytest.mark.process, pytest.mark.security("Battles")]


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def arena(app, clock):
    return Arena(app, clock)


@pytest.fixture
def check(server):
    """Runs verify.mjs on the address of a battle; the lines of the checks by their marks, and its notes."""

    def check(battle, *options):
        command = [NODE, ROOT / "verify" / "verify.mjs", "--battle", f"{server}/battles/{battle.public_id}"]
        finished = subprocess.run(
            [*command, *options], capture_output=True, text=True, timeout=60, check=False
        )
        assert finished.stderr == ""
        lines = finished.stdout.splitlines()
        found = [line.partition(" ") for line in lines]
        return {mark: [text for first, _, text in found if first == mark] for mark in ("✓", "✗", "?", "Void")}

    return check


@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"crazy": True, "terminal": True, "times": 3},
        {"mode": "jackpot", "times": 2},
        {"mode": "shared"},
    ],
    ids=lambda terms: " ".join(terms) or "normal",
)
def test_a_settled_battle_is_verified_from_its_address(arena, new_player, check, terms):
    battle = arena.end(arena.locked(new_player("alice"), None, new_player("bob"), **terms))

    lines = check(battle)

    assert battle.state == "settled"
    assert (lines["✗"], len(lines["✓"])) == ([], 14)
    trusted, unchecked = lines["?"]
    assert trusted == "The randomness is that of a demonstration: the house holds its key"
    assert unchecked == f"The signature of round {battle.round} can't be checked here"


def test_a_void_battle_says_who_would_have_won(arena, new_player, check):
    battle = arena.locked(new_player("alice"), new_player("bob"))
    arena.pass_round(battle)
    arena.append()
    void = arena.end_due(battle)
    signature = arena.services.beacons.of_round(battle.round).signature

    lines = check(void, "--signature", signature)

    assert (void.state, lines["✗"]) == ("void", [])
    assert lines["Void"][0].startswith("(late): each cost of 4.00 was refunded. Otherwise: ")


def test_a_receipt_and_a_battle_are_verified_from_a_file(arena, new_player, client, app):
    alice = new_player("alice")
    locked = arena.locked(alice, new_player("bob"))
    arena.append()
    receipt = client.get(f"/battles/{locked.public_id}/receipt", headers=alice.headers).json
    battle = arena.end(locked)
    shown = client.get(f"/battles/{battle.public_id}").json
    known = {name: shown[name] for name in ("serverSeedCommitment", "mode", "crazy", "terminal", "teams")}
    known |= {"cases": [each["snapshot"] for each in shown["cases"]]}
    arrived_at = arena.services.beacons.chain.time_ms(battle.round) - 1_000
    file = {
        "battle": shown,
        "proof": receipt["proof"],
        "snapshots": [client.get(f"/snapshots/{known['cases'][0]}").text],
        "network": client.get("/battles/rules").json["beacon"],
        "receipt": receipt | {"known": known, "arrivedAt": arrived_at},
    }

    checks = list(verify.check_battle(json.loads(json.dumps(file))))

    assert [text for text, is_right in checks if is_right is False] == []
    trusted = "The randomness is that of a demonstration: the house holds its key"
    assert [text for text, is_right in checks if is_right is None] == [trusted]
    assert checks[-1][0] == "The receipt came 1.0 s before the round was published"
