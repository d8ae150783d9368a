"""Witnesses that run as programs of their own: ours, and a public one; and a small log that they follow."""

import hashlib
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.harness.servers import ROOT, free_port
from tests.harness.waiting import can_connect, wait_until
from tests.services.log.rfc6962 import mth, proof
from tests.support.public_log import ORIGIN, Key
from verify.witness import Signer, read_seed

ED25519, ML_DSA_44, AICS = "ed25519", "ml-dsa-44", "aics"
"""Our program with either type of key, and the public one."""

AICS_PROGRAM = ROOT / ".venv" / "public-witness" / "bin" / "aics-witness"
CONFIG = "witness.json"
OUR_PROGRAM = ROOT / "verify" / "witness.py"
NAMES = {ED25519: "witness.example/w1", ML_DSA_44: "witness.example/w2", AICS: "witness.example/w3"}
TYPES = {ED25519: 4, ML_DSA_44: 6}


class SmallLog:
    """A log of numbered entries, whose roots and proofs follow the words of RFC 6962."""

    def __init__(self, origin: str = ORIGIN, key: str = "first", name: str = "") -> None:
        """Logs of one origin with different ``name`` have different entries."""
        self.origin, self.keys, self._name = origin, [Key(key)], name

    def leaves(self, size: int) -> list[bytes]:
        return [hashlib.sha256(f"{self._name}{number}".encode()).digest() for number in range(size)]

    def note(self, size: int, *, root: bytes | None = None, more: str = "") -> str:
        """The signed checkpoint of this size."""
        text = f"{self.origin}\n{size}\n{b64encode(root or mth(self.leaves(size))).decode()}\n{more}"
        return f"{text}\n{''.join(key.line(self.origin, text) for key in self.keys)}"

    def proof(self, old: int, size: int) -> list[bytes]:
        return proof(old, self.leaves(size)) if 0 < old < size else []

    def body(self, old: int, size: int, *, note: str = "", hashes: list[bytes] | None = None) -> str:
        """A submission, honest unless a note or the hashes of a proof are given."""
        hashes = self.proof(old, size) if hashes is None else hashes
        lines = [f"old {old}", *(b64encode(each).decode() for each in hashes)]
        return "\n".join([*lines, "", note or self.note(size)])


class RunningProgram:
    """A witness that runs. ``key`` is its verifier key."""

    def __init__(self, process: subprocess.Popen[bytes], key: str, url: str, folder: Path) -> None:
        self.process, self.key, self.url, self.folder = process, key, url, folder
        self._session = requests.Session()

    def submit(self, body: str | bytes, **options) -> requests.Response:
        content = body.encode() if isinstance(body, str) else body
        return self._session.post(f"{self.url}/add-checkpoint", data=content, timeout=30, **options)

    def shown(self, origin: str = ORIGIN) -> requests.Response:
        path = hashlib.sha256(origin.encode()).hexdigest()
        return self._session.get(f"{self.url}/{path}/checkpoint", timeout=30)

    def end(self, sent: int = signal.SIGTERM) -> int:
        """Its exit status."""
        self._session.close()
        self.process.send_signal(sent)
        return self.process.wait(30)


@contextmanager
def running_program(
    kind: str, folder: Path, keys: list[str], *, port: int | None = None
) -> Iterator[RunningProgram]:
    """Run a witness of logs with these verifier keys, which keeps its state in a folder."""
    port = port or free_port()
    key = make_key(kind, folder)
    if kind == AICS:
        for each in keys:
            _aics(folder, "add-log", "--origin", each.partition("+")[0], "--vkey", each)
        command = [AICS_PROGRAM, "serve", "--config", folder / CONFIG, "--log-level", "WARNING"]
    else:
        command = [sys.executable, OUR_PROGRAM, "--name", NAMES[kind], "--type", kind, "--state", folder]
        command += [part for each in keys for part in ("--log", each)]
    command += ["--listen", f"127.0.0.1:{port}"]
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: can_connect(port) or process.poll() is not None)
            assert process.poll() is None, "the witness has ended"
            yield RunningProgram(process, key, f"http://127.0.0.1:{port}", folder)
        finally:
            process.kill()


def make_key(kind: str, folder: Path) -> str:
    """The verifier key of a witness with this state, which gets a key if it has none."""
    folder.mkdir(exist_ok=True)
    if kind == AICS:
        return _aics(folder, "init", "--name", NAMES[kind]).strip()
    seed = read_seed(folder / f"{kind}.key")
    return Signer(NAMES[kind], TYPES[kind], seed).verifier_key


def _aics(folder: Path, command: str, *arguments: str) -> str:
    assert AICS_PROGRAM.exists(), "make .venv/public-witness/installed"
    line = [AICS_PROGRAM, command, "--config", folder / CONFIG, *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout
