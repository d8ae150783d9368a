"""What the monitor prints, and a log with some bets."""

import json

from tests.support.public_log import BEGAN_MS

LONG_AFTER = BEGAN_MS / 1000 + 1_000_000


def contradictions(lines):
    return [line.removeprefix("contradiction: ") for line in lines if line.startswith("contradiction")]


def problems(lines):
    return [line.removeprefix("problem: ") for line in lines if line.startswith("problem")]


def not_checked(lines):
    assert contradictions(lines) + problems(lines) == []
    return [line.removeprefix("not checked: ") for line in lines if line.startswith("not checked")]


def play(log, bets=3):
    """Bets of two players in all games."""
    alice, bob = log.new_player("alice"), log.new_player("bob")
    for _ in range(bets):
        log.spin(alice)
        log.open(bob)
        log.open(alice, "irl")
    return alice, bob


def replace(log, index, **changed):
    """Replace fields of an entry, as somebody would who holds the key."""
    entry = json.loads(log.entries[index]) | changed
    log.entries[index] = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
