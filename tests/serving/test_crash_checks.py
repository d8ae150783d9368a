"""The checks after a crash storm notice what they are for: a calm hour of one player, then false memories."""

from dataclasses import replace

import pytest

from services import users
from services.clock import now_ms
from services.money import Cents
from tests.support.crash_asking import Stage
from tests.support.crash_checks import problems, wait_until_proofs_are_due
from tests.support.crash_memory import Act, Kind, Memory, Outcome
from tests.support.crash_players import Actor, import_items, memory_of

NOBODYS_SEED = "0" * 64


@pytest.fixture
def memory(app, server):
    """A player who has spun, locked and been paid, every time with an answer."""
    platform = app.extensions["platform"]
    import_items()
    user = users.create(username="calm", seeds=platform.seeds, now=now_ms(), balance=Cents(10_000))
    memory = memory_of(user, platform)
    stage = Stage(platform, url=server)
    stage.open.set()
    actor = Actor(stage, memory, name="calm", number=0, of=1, seed="calm")
    for _ in range(4):
        actor.spin()
    actor.lock()
    actor.deposit()
    actor.last_spin()
    wait_until_proofs_are_due(now_ms)
    return memory


def test_a_true_memory_has_no_problems(memory, server):
    assert list(problems(memory, server)) == []
    assert [act.outcome for act in memory.acts] == [Outcome.ACKNOWLEDGED] * 7


def spin_that_is_gone(memory):
    answer = {"status": True, "result": {"success": False, "amount": 0, "item": "Item of 2"}}
    memory.begin(Act(Kind.SPIN, "gone", 0, {"item": "Item of 2"}, Outcome.ACKNOWLEDGED, answer))


def lock_that_is_gone(memory):
    memory.begin(Act(Kind.LOCK, "99", 99, outcome=Outcome.ACKNOWLEDGED))


def deposit_that_is_gone(memory):
    memory.begin(Act(Kind.DEPOSIT, "gone", 0, outcome=Outcome.ACKNOWLEDGED))


def refused_spin_that_is_there(memory):
    memory.acts[0].outcome = Outcome.REFUSED


def bet_that_nobody_made(memory):
    del memory.acts[0]


def other_result(memory):
    memory.acts[0].answer = {"status": True, "result": {"success": True, "amount": 5, "item": "Item of 2"}}


def other_commitment(memory):
    memory.announced[2] = NOBODYS_SEED


def other_binding(memory):
    memory.acts[0].request = memory.acts[0].request | {"serverSeedCommitment": NOBODYS_SEED}


def other_proof(memory):
    memory.proven[1] = NOBODYS_SEED


def coin_too_many(memory):
    memory.began_with -= 100


def contradiction(memory):
    memory.hear("upgrader:commitment", {"nonce": 1, "serverSeedCommitment": NOBODYS_SEED})


def test_every_false_memory_is_a_problem(memory, server):
    falsehoods = [
        spin_that_is_gone,
        lock_that_is_gone,
        deposit_that_is_gone,
        refused_spin_that_is_there,
        bet_that_nobody_made,
        other_result,
        other_commitment,
        other_binding,
        other_proof,
        coin_too_many,
        contradiction,
    ]

    unnoticed = []
    for falsify in falsehoods:
        false = _copy(memory)
        falsify(false)
        if not list(problems(false, server)):
            unnoticed.append(falsify.__name__)

    assert unnoticed == []


def _copy(memory: Memory) -> Memory:
    return replace(
        memory,
        acts=[replace(act) for act in memory.acts],
        announced=dict(memory.announced),
        proven=dict(memory.proven),
        contradictions=[],
    )
