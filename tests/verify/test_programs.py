"""The single-file programs that verify a bet: both give the golden vectors."""

import json
import subprocess
import sys

import pytest

from bench.harness.node import NODE, node
from bench.harness.servers import ROOT
from tests.support.golden_vectors import OPENINGS, PATH, REFUSED_OPENINGS, SPINS, VECTORS

pytestmark = pytest.mark.process

PROGRAMS = {
    # Isolated: no packages, and nothing of the repository.
    "verify.py": [sys.executable, "-I", "-S"],
    "verify.mjs": [NODE],
}
OPTIONS = {
    "algorithm": "algorithm",
    "commitment": "serverSeedCommitment",
    "server-seed": "serverSeed",
    "client-seed": "clientSeed",
    "nonce": "nonce",
    "amount": "betAmount",
    "price": "price",
    "house-edge": "houseEdge",
    "snapshot": "content",
    "snapshot-hash": "snapshot",
}


@pytest.fixture(params=PROGRAMS)
def program(request, tmp_path):
    """Runs a copy of the program that stands alone."""
    copy = tmp_path / request.param
    copy.write_bytes((ROOT / "verify" / request.param).read_bytes())

    def run(*arguments):
        command = [*PROGRAMS[request.param], copy, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run


def options(**values):
    return [f"--{option}={values[name]}" for option, name in OPTIONS.items() if name in values]


def test_the_vectors_are_those_of_an_independent_implementation():
    assert node("make_vectors.mjs") == VECTORS


def test_a_program_gives_all_golden_vectors(program):
    finished = program("--vectors", PATH)

    assert (finished.stdout.strip(), finished.returncode) == ("All vectors are right.", 0)


def test_a_program_names_the_vectors_that_it_gets_wrong(program, tmp_path):
    first, second = SPINS[:2]
    wrong = {**first, "output": first["output"] | {"roll": first["output"]["roll"] + 1}}
    accepted = {"why": "nothing is wrong", "input": second["input"]}
    vectors = {"spins": [wrong, second], "openings": [], "refused": [accepted], "refusedOpenings": []}
    (tmp_path / "wrong.json").write_text(json.dumps(vectors))

    finished = program("--vectors", tmp_path / "wrong.json")

    assert finished.stdout.splitlines() == [first["why"], "nothing is wrong"]
    assert finished.returncode == 1


def test_a_program_prints_a_spin_as_json(program):
    finished = program(*options(**SPINS[0]["input"]))

    assert finished.returncode == 0
    commitment = SPINS[0]["input"]["serverSeedCommitment"]
    assert json.loads(finished.stdout) == {"serverSeedCommitment": commitment, **SPINS[0]["output"]}


def test_a_program_exits_with_1_when_the_seed_is_not_the_one_committed_to(program):
    finished = program(*options(**SPINS[0]["input"] | {"serverSeedCommitment": "0" * 64}))

    assert finished.returncode == 1
    assert json.loads(finished.stdout)["committed"] is False
    assert "not the one that was committed to" in finished.stderr


@pytest.fixture
def opening(tmp_path):
    """The options for a golden vector of an opening."""

    def opening(given):
        path = tmp_path / "snapshot.json"
        path.write_text(given["content"], encoding="utf-8")
        return options(**given | {"content": path})

    return opening


def test_a_program_prints_an_opening_as_json(program, opening):
    given, expected = OPENINGS[0]["input"], OPENINGS[0]["output"]

    finished = program(*opening(given | {"content": given["content"] + "\n"}))

    assert finished.returncode == 0
    commitment = given["serverSeedCommitment"]
    assert json.loads(finished.stdout) == {"serverSeedCommitment": commitment, **expected}


def test_a_program_prints_the_ticket_of_an_opening_without_its_snapshot(program):
    given = {name: value for name, value in OPENINGS[0]["input"].items() if name != "content"}

    printed = json.loads(program(*options(**given)).stdout)

    assert printed["ticket"] == OPENINGS[0]["output"]["ticket"]
    assert "item" not in printed


def test_a_program_exits_with_1_when_the_snapshot_is_not_the_one_that_was_shown(program, opening):
    finished = program(*opening(OPENINGS[0]["input"] | {"snapshot": "0" * 64}))

    assert finished.returncode == 1
    assert json.loads(finished.stdout)["shown"] is False
    assert "not the one that was shown" in finished.stderr


def test_a_program_refuses_an_invalid_snapshot_in_one_line(program, opening):
    finished = program(*opening(REFUSED_OPENINGS[-1]["input"]))

    assert (finished.returncode, len(finished.stderr.splitlines()), finished.stdout) == (1, 1, "")


@pytest.mark.parametrize(
    "changes",
    [{"algorithm": "case-2"}, {"clientSeed": "äbcd"}, {"nonce": "0"}, {"betAmount": "10"}],
    ids=str,
)
def test_a_program_refuses_an_invalid_value_in_one_line(program, changes):
    finished = program(*options(**SPINS[0]["input"] | changes))

    assert finished.returncode == 1
    assert len(finished.stderr.splitlines()) == 1
    assert finished.stdout == ""


def test_a_program_explains_its_options(program):
    usage = program("--help").stdout

    assert [option for option in OPTIONS if f"--{option}" not in usage] == []
