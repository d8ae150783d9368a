"""The single-file programs have the rules of the platform, and give the golden vectors."""

import json
import subprocess
import sys
from contextlib import nullcontext
from operator import itemgetter

import pytest

from tests.harness.node import NODE, node
from tests.harness.servers import ROOT
from tests.support.golden_vectors import OPENINGS, PATH, REFUSED_OPENINGS, SPINS, VECTORS
from verify import generate, monitor, verify

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


KEY_OPTION = {"verify.py": [], "verify.mjs": ["--key", ROOT / "verify" / "log" / "key"]}


@pytest.fixture(params=PROGRAMS)
def program(request, tmp_path):
    """Runs a copy of the program that stands alone."""
    copy = tmp_path / request.param
    copy.write_bytes((ROOT / "verify" / request.param).read_bytes())

    def run(*arguments):
        command = [*PROGRAMS[request.param], copy, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    run.name = request.param
    return run


@pytest.fixture
def options(tmp_path):
    """The options for the input of a vector."""

    def options(given):
        given = dict(given)
        if "content" in given:
            path = tmp_path / "snapshot.json"
            path.write_text(given["content"] + "\n", encoding="utf-8")
            given["content"] = path
        return [f"--{option}={given[name]}" for option, name in OPTIONS.items() if name in given]

    return options


@pytest.mark.parametrize("program", ["monitor.py", *PROGRAMS])
def test_a_program_has_the_rules_of_the_platform(program):
    # If this fails, run: python -m verify.generate
    assert generate.generated(program) == (ROOT / "verify" / program).read_text("utf-8")


def test_the_vectors_are_those_of_an_independent_implementation():
    assert node("make_vectors.mjs") == VECTORS


def test_a_program_gives_all_golden_vectors(program):
    finished = program("--vectors", PATH)

    assert (finished.stdout.strip(), finished.returncode) == ("All vectors are right.", 0)


@pytest.mark.thorough
def test_a_program_names_the_vectors_that_it_gets_wrong(program, tmp_path):
    first, second = SPINS[:2]
    wrong = {**first, "output": first["output"] | {"roll": first["output"]["roll"] + 1}}
    accepted = {"why": "nothing is wrong", "input": second["input"]}
    none = {name: [] for name in ("openings", "refusedOpenings", "battles", "refusedBattles")}
    vectors = none | {"spins": [wrong, second], "refused": [accepted]}
    (tmp_path / "wrong.json").write_text(json.dumps(vectors))

    finished = program("--vectors", tmp_path / "wrong.json")

    assert finished.stdout.splitlines() == [first["why"], "nothing is wrong"]
    assert finished.returncode == 1


@pytest.mark.thorough
@pytest.mark.parametrize("bet", [SPINS[0], OPENINGS[0]], ids=["spin", "opening"])
def test_a_program_prints_a_bet_as_json(program, options, bet):
    finished = program(*options(bet["input"]))

    assert finished.returncode == 0
    commitment = bet["input"]["serverSeedCommitment"]
    assert json.loads(finished.stdout) == {"serverSeedCommitment": commitment, **bet["output"]}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("bet", "name", "verdict", "problem"),
    [
        (SPINS[0], "serverSeedCommitment", "committed", "not the one that was committed to"),
        (OPENINGS[0], "snapshot", "shown", "not the one that was shown"),
    ],
    ids=["commitment", "snapshot"],
)
def test_a_program_exits_with_1_for_a_wrong_hash(program, options, bet, name, verdict, problem):
    finished = program(*options(bet["input"] | {name: "0" * 64}))

    assert finished.returncode == 1
    assert json.loads(finished.stdout)[verdict] is False
    assert problem in finished.stderr


BATTLE = ROOT / "verify" / "log" / "battle.json"


@pytest.mark.parametrize(("changed", "status"), [({}, 2), ({"payouts": [7.2, 0, 0, 0]}, 1)])
def test_a_program_checks_the_file_of_a_battle(program, tmp_path, changed, status):
    """Without libraries the signatures of beacons are not checked."""
    file = json.loads(BATTLE.read_text())
    (tmp_path / "battle.json").write_text(json.dumps(file | {"battle": file["battle"] | changed}))

    finished = program("--battle", tmp_path / "battle.json", *KEY_OPTION[program.name])

    lines = finished.stdout.splitlines()
    assert finished.returncode == status
    (unchecked,) = [line for line in lines if line.startswith("?")]
    assert unchecked.startswith("? The signature of round 657413")
    assert ("✗ The payouts are those that were shown" in lines) == bool(changed)


@pytest.mark.parametrize("text", ["", "[]", '{"battle": {}}', '{"id": 1}'])
def test_a_program_refuses_another_file_than_that_of_a_battle(program, tmp_path, text):
    (tmp_path / "battle.json").write_text(text)

    finished = program("--battle", tmp_path / "battle.json")

    assert (finished.returncode, len(finished.stderr.splitlines())) == (1, 1)


COSIGNED = BATTLE.parent / "cosigned-battle.json"
WITNESSES = (BATTLE.parent / "witnesses").read_text().split()


def test_a_program_says_when_witnesses_had_the_lock(program):
    options = [f"--witness={key}" for key in WITNESSES]

    finished = program("--battle", COSIGNED, *KEY_OPTION[program.name], *options)

    lines = [line for line in finished.stdout.splitlines() if "witness.example" in line]
    # verify.py runs without packages here.
    assert lines == (
        [f"? cosignatures of witness.example/w{n} need the package cryptography, 47 or later" for n in (1, 2)]
        if program.name == "verify.py"
        else list(WITNESSED)
    )


WITNESSED = (
    "✓ The checkpoint was cosigned by witness.example/w1 at 2023-09-15T10:59:59Z",
    "✓ The checkpoint was cosigned by witness.example/w2 at 2023-09-15T11:00:04Z",
    "✓ witness.example/w1 has cosigned the lock 4 s before round 657413 was published",
    "? witness.example/w2 has cosigned the lock 1 s after round 657413 was published",
)


def test_the_lines_about_witnesses_are_the_same_with_the_library():
    checks = verify.check_battle(json.loads(COSIGNED.read_text()), [verify.Witness(key) for key in WITNESSES])

    lines = [f"{'✓' if passed else '?'} {text}" for text, passed in checks if "witness.example" in text]
    assert sorted(lines) == sorted(WITNESSED)


@pytest.mark.parametrize(
    "given", json.loads((BATTLE.parent / "cosignatures.json").read_text()), ids=itemgetter("why")
)
def test_the_python_programs_take_the_golden_cosignatures_and_no_others(given):
    note = (BATTLE.parent / "spin.tlog-proof").read_text().partition("\n\n")[2] + given["lines"]
    text, _, signatures = monitor.split_note(note.encode())
    witness = monitor.Witness(WITNESSES[0])

    with pytest.raises(ValueError, match="not right") if given["passed"] is False else nullcontext():
        assert (witness.cosigned_at(text, signatures) is not None) == bool(given["passed"])


def test_all_changes_to_a_battle_are_found():
    file = json.loads(BATTLE.read_text())
    for altered in json.loads((BATTLE.parent / "altered-battles.json").read_text()):
        changed = file | altered.get("file", {})
        changed["battle"] = file["battle"] | altered.get("battle", {})
        changed["receipt"] = file["receipt"] | altered.get("receipt", {})

        checks = list(verify.check_battle(changed))

        assert [text for text, is_right in checks if is_right is False], altered["why"]


def test_a_battle_passes_all_checks_with_the_library():
    checks = list(verify.check_battle(json.loads(BATTLE.read_text())))

    assert [text for text, is_right in checks if not is_right] == []
    assert len(checks) == 16


INVALID = [{"algorithm": "case-2"}, {"clientSeed": "äbcd"}, {"nonce": "0"}, {"betAmount": "10"}]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "given", [REFUSED_OPENINGS[-1]["input"], *(SPINS[0]["input"] | changed for changed in INVALID)]
)
def test_a_program_refuses_an_invalid_value_in_one_line(program, options, given):
    finished = program(*options(given))

    assert (finished.returncode, len(finished.stderr.splitlines()), finished.stdout) == (1, 1, "")
