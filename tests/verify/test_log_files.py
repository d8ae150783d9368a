"""verify.mjs checks proofs and receipts of the public log; the page's module gives the same verdicts."""

import json
import shutil
import subprocess

import pytest

from tests.harness.node import NODE, node
from tests.harness.servers import ROOT
from tests.support.golden_log import FOLDER, golden_files
from tests.support.public_log import serving

pytestmark = pytest.mark.process

FILES = golden_files()
ALTERED = json.loads(FILES["altered.json"])
BETS = json.loads(FILES["bets.json"])
NOTES = json.loads(FILES["notes.json"])
OPTIONS = {
    "algorithm": "algorithm",
    "serverSeedCommitment": "commitment",
    "serverSeed": "server-seed",
    "clientSeed": "client-seed",
    "nonce": "nonce",
    "betAmount": "amount",
    "price": "price",
    "houseEdge": "house-edge",
    "snapshot": "snapshot-hash",
    "next": "next",
}


@pytest.fixture
def check(tmp_path):
    """Runs a copy of the program that stands alone, on a file."""
    copy = shutil.copy(ROOT / "verify" / "verify.mjs", tmp_path)

    def check(file, *options, key=FILES["key"], **bet):
        (tmp_path / "file").write_text(file, encoding="utf-8")
        (tmp_path / "key").write_text(key, encoding="utf-8")
        values = [f"--{OPTIONS[name]}={value}" for name, value in bet.items()]
        command = [NODE, copy, f"--log-file={tmp_path / 'file'}", f"--key={tmp_path / 'key'}"]
        return subprocess.run(
            [*command, *values, *options], capture_output=True, text=True, timeout=60, check=False
        )

    return check


def test_the_golden_files_are_those_of_an_independent_implementation():
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == FILES


@pytest.mark.parametrize("name", ["spin.tlog-proof", "opening.tlog-proof", "spin.receipt"])
def test_a_golden_file_passes_every_check(check, name):
    bet = BETS[name.partition(".")[0]]

    finished = check(FILES[name], **bet)

    lines = finished.stdout.splitlines()
    assert finished.returncode == 0, finished.stderr
    assert [line for line in lines if not line.startswith("✓ ")] == []
    assert len(lines) == (6 if "receipt" in name else 7)


@pytest.mark.thorough
@pytest.mark.parametrize("altered", ALTERED, ids=lambda altered: altered["why"])
def test_an_altered_file_fails(check, altered):
    bet = BETS["spin"] | altered["bet"] if "bet" in altered else {}

    finished = check(altered["file"], key=altered.get("key", FILES["key"]), **bet)

    assert finished.returncode == 1
    failed = [line for line in finished.stdout.splitlines() if line.startswith("✗ ")]
    # Malformed files are refused in one line.
    assert failed or len(finished.stderr.splitlines()) == 1


@pytest.mark.thorough
def test_the_revealed_seed_must_fit_the_entry(check):
    finished = check(FILES["spin.tlog-proof"], serverSeed="ab" * 32)

    assert finished.returncode == 1
    assert "✗ The entry has the commitment that was announced for the bet" in finished.stdout


@pytest.mark.thorough
def test_without_a_key_the_signature_is_not_called_right(check):
    finished = check(FILES["spin.receipt"], key="")

    assert finished.returncode == 1
    assert finished.stdout == "? Without a key, the signature of the receipt can't be checked\n"


@pytest.mark.thorough
def test_a_key_may_be_given_as_an_address(check):
    with serving() as site:
        site.files["/log/key"] = FILES["key"].encode()

        finished = check(FILES["spin.receipt"], f"--key={site.url}/key")

    assert finished.returncode == 0


MODULE = """
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto;
const { checkLogFile } = await import(process.argv[2]);
const results = [];
for (const { file, key, bet } of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const found = await checkLogFile(file, key, bet);
    results.push((found.checks ?? found).map(({ passed }) => passed));
  } catch (problem) {
    results.push(problem.constructor.name);
  }
}
console.log(JSON.stringify(results));
"""


PAGE_MODULE = "blueprints/site/static/fairness/log-proof.js"


@pytest.fixture
def check_in_module(tmp_path):
    """Checks files with the module of the page, or another."""
    script = tmp_path / "check.mjs"
    script.write_text(MODULE)

    def check(cases, module=PAGE_MODULE):
        copy = shutil.copy(ROOT / module, tmp_path / "module.mjs")
        return node(script, copy, stdin=[{"key": FILES["key"], "bet": {}} | case for case in cases])

    return check


def seen(name, **changed):
    """What the page knows of a golden bet."""
    bet = BETS[name] | changed
    cents = {each: round(float(bet[each]) * 100) for each in ("betAmount", "price") if each in bet}
    terms = {"wager": cents["betAmount"], "algorithm": bet["algorithm"]}
    if name == "spin":
        terms |= {"price": cents["price"], "edge": bet["houseEdge"], "item": "AK-47 | Rød Ørn"}
    else:
        terms["snapshot"] = bet["snapshot"]
    return {
        "commitment": bet["serverSeedCommitment"],
        "nonce": int(bet["nonce"]),
        "clientSeed": bet["clientSeed"],
        "next": bet["next"],
        "terms": terms,
    }


def test_the_module_of_the_page_passes_the_golden_files(check_in_module):
    names = ["spin.tlog-proof", "opening.tlog-proof", "spin.receipt"]

    results = check_in_module([{"file": FILES[name], "bet": seen(name.partition(".")[0])} for name in names])

    assert results == [[True] * 7, [True] * 7, [True] * 6]


def test_the_module_of_the_page_refuses_altered_files(check_in_module):
    cases = [
        altered | ({"bet": seen("spin", **altered["bet"])} if "bet" in altered else {}) for altered in ALTERED
    ]

    results = check_in_module(cases)

    accepted = [
        altered["why"]
        for altered, result in zip(ALTERED, results, strict=True)
        if result != "Malformed" and False not in result
    ]
    assert accepted == []


@pytest.mark.parametrize("module", [PAGE_MODULE, "verify/verify.mjs"])
def test_a_module_takes_the_golden_notes_and_no_others(check_in_module, module):
    cases = [{"file": FILES["spin.receipt"] + each["line"] * each["times"]} for each in NOTES]

    results = check_in_module(cases, module)

    wrong = [
        (each["why"], result)
        for each, result in zip(NOTES, results, strict=True)
        if (isinstance(result, list) and result[0]) != each["isNote"]
    ]
    assert wrong == []
