"""Witnesses of a public log as processes: the program of verify/."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

import requests

from services.log.notes import SigningKey
from tests.harness.servers import ROOT, free_port


class WitnessProcess:
    """A witness that can be killed and started again at the same address."""

    def __init__(self, name: str, directory: Path, logs: Sequence[str], *, type_: str = "ed25519") -> None:
        """``logs`` are the verifier keys of the logs that it knows."""
        self.name, self.logs = name, list(logs)
        self._directory, self._type = directory, type_
        self._port = free_port()
        self._process: subprocess.Popen[str] | None = None
        self.key = self.url = ""

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "verify" / "witness.py"), "--name", self.name]
        command += ["--state", str(self._directory), "--type", self._type]
        command += ["--listen", f"127.0.0.1:{self._port}"]
        command += [part for log in self.logs for part in ("--log", log)]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.key, self.url = self._process.stdout.readline().split()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let it stand still during the block, with all its connections open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def stored_note(self, origin: str) -> str | None:
        """The newest checkpoint of a log that it has cosigned, from its directory."""
        path = self._directory / f"{sha256(origin.encode()).hexdigest()}.checkpoint"
        return path.read_text() if path.exists() else None

    def newest_note(self, origin: str) -> str:
        """The newest checkpoint of a log that it has cosigned."""
        path = sha256(origin.encode()).hexdigest()
        answer = requests.get(f"{self.url}/{path}/checkpoint", timeout=30)
        answer.raise_for_status()
        return answer.text


@contextmanager
def three_witnesses(directory: Path, *, origin: str, log_seed: bytes) -> Iterator[list[WitnessProcess]]:
    """Three running witnesses of the log with this origin and key; the last one has ML-DSA-44."""
    key = SigningKey(name=origin, seed=log_seed).verifier_key
    with ExitStack() as stack:
        found = []
        for name, type_ in (("w1", "ed25519"), ("w2", "ed25519"), ("w3", "ml-dsa-44")):
            witness = WitnessProcess(f"{name}.example", directory / name, [key], type_=type_)
            stack.callback(witness.kill)
            witness.start()
            found.append(witness)
        yield found


def setting_of(witnesses: Sequence[WitnessProcess]) -> str:
    """LOG_WITNESSES with these."""
    return ", ".join(f"{each.key} {each.url}" for each in witnesses)
