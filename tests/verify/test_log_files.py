"""verify.mjs checks proofs and receipts of the public log.

tests/js/site/log-proof.test.mjs checks all golden files with its module.
"""

import json
import shutil
import subprocess

import pytest

from tests.harness.node import NODE
from tests.harness.servers import ROOT
from tests.support.cosigners import Cosigner
from tests.support.golden_log import FOLDER, golden_files
from tests.support.public_log import BEGAN_MS, serving

pytestmark = pytest.mark.process

FILES = golden_files()
ALTERED = json.loads(FILES["altered.json"])
BETS = json.loads(FILES["bets.json"])
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


@pytest.mark.parametrize("why", ["an entry with another nonce", "a damaged key"])
def test_an_altered_file_fails(check, why):
    [altered] = [altered for altered in ALTERED if altered["why"] == why]

    finished = check(altered["file"], key=altered.get("key", FILES["key"]))

    assert finished.returncode == 1
    failed = [line for line in finished.stdout.splitlines() if line.startswith("✗ ")]
    # Malformed files are refused in one line.
    assert failed or len(finished.stderr.splitlines()) == 1


def test_it_says_which_witnesses_have_cosigned_the_checkpoint(check):
    one, two = FILES["witnesses"].split()

    finished = check(FILES["cosigned.tlog-proof"], f"--witness={one}", f"--witness={two}")

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[2:] == [
        "✓ The checkpoint was cosigned by witness.example/w1 at 2025-06-15T15:06:48Z",
        "✓ The checkpoint was cosigned by witness.example/w2 at 2025-06-15T15:06:48Z",
    ]


@pytest.mark.parametrize(("size", "mark"), [("7", "✓"), ("8", "✗")])
def test_cosignatures_of_ml_dsa_44_are_verified_by_a_new_node(check, size, mark):
    """Signatures of this kind differ each time, so no golden file has one."""
    witness = Cosigner("w3.example", 6)
    checkpoint = FILES["spin.tlog-proof"].partition("\n\n")[2].replace("\n7\n", f"\n{size}\n")

    finished = check(
        FILES["spin.tlog-proof"] + witness.line(checkpoint, BEGAN_MS // 1_000), f"--witness={witness.key}"
    )

    assert finished.stdout.splitlines()[-1].startswith(f"{mark} The c")


def test_a_witness_that_has_not_cosigned_is_not_called_right(check):
    one, _ = FILES["witnesses"].split()

    finished = check(FILES["spin.tlog-proof"], f"--witness={one}")

    assert finished.returncode == 1
    assert finished.stdout.splitlines()[-1] == "? witness.example/w1 has not cosigned this checkpoint"


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
