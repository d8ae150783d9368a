"""The checks after a crash storm accept a run without crashes, and find every false record."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bench.harness.crashes.checks import problems, wait_until_proofs_are_due
from bench.harness.crashes.client import StormState
from bench.harness.crashes.memory import Act, ActKind, Memory, Outcome
from bench.harness.crashes.players import Actor, import_items, memory_of
from bench.harness.players import create_player
from services.shared.clock import now_ms

# The checks read what both databases answer alike.
pytestmark = pytest.mark.slow

NOBODYS_SEED = "0" * 64


@pytest.fixture
def state(app, server):
    """Where nothing is killed."""
    import_items()
    state = StormState(app, SimpleNamespace(url=server))
    state.open.set()
    return state


@pytest.fixture
def newcomer(state):
    """A player who has done nothing yet."""
    return memory_of(create_player(state.app, "calm"))


@pytest.fixture
def memory(state, newcomer):
    """A player who has played, sold a prize, locked and been paid, every time with an answer."""
    memory = newcomer
    actor = Actor(state, memory, name="calm", number=0, of=1, seed="calm")
    for _ in range(4):
        actor.spin()
    for _ in range(2):
        actor.open_case()
        actor.open_irl_case()
    actor.sell()
    actor.lock()
    actor.deposit()
    actor.last_spin()
    wait_until_proofs_are_due(now_ms)
    return memory


def test_a_correct_record_of_a_player_has_no_problems(memory, server):
    assert list(problems(memory, server)) == []
    assert [act.outcome for act in memory.acts] == [Outcome.ACKNOWLEDGED] * 12


def spin_that_is_gone(memory):
    answer = {"status": True, "result": {"success": False, "amount": 0, "item": "Item of 2"}}
    request = {"item": "Item of 2"}
    memory.begin(Act(ActKind.SPIN, "gone", request=request, outcome=Outcome.ACKNOWLEDGED, answer=answer))


def sale_that_is_gone(memory):
    memory.begin(Act(ActKind.SALE, "0", outcome=Outcome.ACKNOWLEDGED))


def refused_spin_that_is_there(memory):
    memory.acts[0].outcome = Outcome.REFUSED


def bet_that_nobody_made(memory):
    del memory.acts[0]


def other_result(memory):
    memory.acts[0].answer = {"status": True, "result": {"success": True, "amount": 5, "item": "Item of 2"}}


def other_commitment(memory):
    memory.announced[2] = NOBODYS_SEED


def other_proof(memory):
    memory.proven[1] = NOBODYS_SEED


def coin_too_many(memory):
    memory.began_with -= 100


@pytest.mark.guarantee("A killed server")
def test_every_wrong_record_is_reported(memory, server):
    falsehoods = [
        spin_that_is_gone,
        sale_that_is_gone,
        refused_spin_that_is_there,
        bet_that_nobody_made,
        other_result,
        other_commitment,
        other_proof,
        coin_too_many,
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
